"""The commands that pages of results show: those of scripts, of modules, of tests and of git."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        *ROOT.glob("docs/results/*.md"),
        *ROOT.glob("studies/*/*.md"),
        *ROOT.glob("studies/*/results/*.md"),
        ROOT / "benchmarks" / "README.md",
        ROOT / "docs" / "performance.md",
        ROOT / "docs" / "how-to" / "score-free-translations.md",
        *ROOT.glob("packages/*/src/**/README.md"),
    ]
)
"""Pages with figures: of results and studies, and others that measure."""

_BLOCK = re.compile(r"^```\w*\n(.*?)^```$|(?<=\n\n)((?:^ {4}[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_COMMAND = re.compile(r"(python|pytest|docmt|make|git) ([^&|]*)")
_ASSIGNED = re.compile(r"^(\w+)=\"([^\"$]*)\"$", re.MULTILINE)
_BETWEEN = re.compile(r"\s&&\s|;\s*do\s|;\s*done")
_SETTING = re.compile(r"(?:[A-Z_]+=\S*\s+)+(?=\w)")
"""Variables before a command, for this command alone."""


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
    lines = [line for block in blocks for line in _shell_lines(block)]
    for line in lines + code_spans(text):
        if found := _COMMAND.match(_SETTING.sub("", line.strip(), count=1)):
            words = shlex.split(found[2], comments=True)
            if words and words[:2] != ["-m", "venv"]:
                yield Command(page, found[1], tuple(words))


def _shell_lines(block: str) -> Iterator[str]:
    """The commands in a block, one by one, with the values of variables that are set in it."""
    variables = dict(_ASSIGNED.findall(block))
    for line in block.replace("\\\n", " ").splitlines():
        for part in _BETWEEN.split(line):
            yield re.sub(r"\$(\w+)", lambda name: variables.get(name[1], name[0]), part)


def stored_at(page: Path, name: str) -> str | None:
    """The commit that the paragraph of a page gives for a file that it names, if it gives one."""
    for paragraph in page.read_text("utf-8").split("\n\n"):
        if name in paragraph and (
            found := re.search(r"\b[Cc]ommit\s+([0-9a-f]{7,40})\b", paragraph)
        ):
            return found[1]
    return None


def is_in_history(name: str) -> bool:
    """Return whether git knows an object; a checkout without the history skips the test."""
    shallow = ["git", "rev-parse", "--is-shallow-repository"]
    if subprocess.run(shallow, cwd=ROOT, capture_output=True, text=True).stdout.strip() != "false":
        pytest.skip("the history is not here")
    return subprocess.run(["git", "cat-file", "-e", name], cwd=ROOT).returncode == 0


COMMANDS = [command for page in PAGES for command in commands(page)]
"""All commands of all pages of results."""
