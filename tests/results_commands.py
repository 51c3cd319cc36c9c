"""The commands that pages of results show: those of scripts, of modules, of tests and of git."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        *ROOT.glob("docs/results/*.md"),
        *ROOT.glob("studies/*/*.md"),
        *ROOT.glob("studies/*/results/*.md"),
        ROOT / "benchmarks" / "README.md",
    ]
)

_BLOCK = re.compile(r"^```\w*\n(.*?)^```$|(?<=\n\n)((?:^ {4}[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_COMMAND = re.compile(r"(python|pytest|docmt|make|git) ([^&|]*)")


@dataclass(frozen=True, slots=True)
class Command:
    """A command on a page.

    Attributes:
        page: the page.
        program: python, pytest, docmt, make or git.
        arguments: the words after it.
    """

    page: Path
    program: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {self.program} {' '.join(self.arguments)}"

    @property
    def script(self) -> Path | None:
        """The script that Python is asked to run; None if there is none of this name."""
        if self.arguments[0] == "-m":
            return None
        path = Path(self.arguments[0])
        places = (ROOT / path, self.page.parent / path, self.page.parents[1] / path)
        return next((at for at in places if at.is_file()), None)

    @property
    def script_arguments(self) -> list[str]:
        """The words after the script."""
        return list(self.arguments[1:])


def code_spans(text: str) -> list[str]:
    """The code in the sentences of a text, each on one line."""
    return [" ".join(code.split()) for code in _CODE.findall(_BLOCK.sub("", text))]


def commands(page: Path) -> Iterator[Command]:
    """The commands in the blocks and in the code of a page."""
    text = page.read_text("utf-8")
    blocks = [found[1] or found[2] for found in _BLOCK.finditer(text)]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    for line in lines + code_spans(text):
        if found := _COMMAND.match(line.strip()):
            words = shlex.split(found[2], comments=True)
            if words and words[:2] != ["-m", "venv"]:
                yield Command(page, found[1], tuple(words))


def stored_at(page: Path, name: str) -> str | None:
    """The commit that the paragraph of a page gives for a file that it names, if it gives one."""
    for paragraph in page.read_text("utf-8").split("\n\n"):
        if name in paragraph and (
            found := re.search(r"\b[Cc]ommit\s+([0-9a-f]{7,40})\b", paragraph)
        ):
            return found[1]
    return None


COMMANDS = [command for page in PAGES for command in commands(page)]
"""All commands of all pages of results."""
