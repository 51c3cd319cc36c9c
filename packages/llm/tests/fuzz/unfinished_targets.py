"""What an interrupted translation left, damaged, and folders of anything."""

from __future__ import annotations

import os
import random
import re
import shutil
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from docmt.translating import translate_files, translate_folder
from docmt_files.base.errors import printable
from docmt_nmt.base.translations import Translation
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.translators import request_of
from docmt_nmt.translators.translator import Translator
from fuzz.mutations import PLANTED, mutate_stored, mutate_values
from fuzz.run_targets import write_run

TEXT = "One two. Three.\n\nFour five six. Seven.\n\nEight nine. Two.\n"


class _StoppedError(Exception):
    """A translation is stopped, as by a kill."""


@dataclass(frozen=True)
class Capitals(Translator):
    """Writes capitals."""

    languages = ("en", "de")

    def translate(
        self, request: Any, *, plan: Any = None, progress: Any = None, journal: Any = None
    ) -> list[Translation]:
        """The documents in capitals."""
        del plan, progress, journal
        translations = []
        for document in request_of(request).documents:
            target = tuple(sentence.upper() for sentence in document.source)
            translations.append(Translation.of(document.id, document.source, target))
        return translations

    def fingerprint(self, request: Any) -> str:
        """A digest of the request."""
        return blake2b(repr(request_of(request).documents).encode()).hexdigest()


def tree(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def write_unfinished(folder: Path) -> None:
    """A translation that was stopped, with its journal, and what it would have become."""
    write_run(folder)
    (folder / "in.txt").write_text(TEXT, encoding="utf-8")
    translator = _load(folder)
    files = str(folder / "in.txt"), str(folder / "out.txt")
    translate_files(translator, files[:1], [str(folder / "whole.txt")])

    def stop(_: object) -> Any:
        journal = folder / ".out.txt.unfinished"

        def progress(done: int, _: int) -> None:
            if done > 2 and journal.exists():
                raise _StoppedError

        return nullcontext(progress)

    with suppress(_StoppedError):
        translate_files(translator, files[:1], files[1:], progress=stop)
    assert len((folder / ".out.txt.unfinished").read_bytes().splitlines()) > 2


def _load(folder: Path) -> BeamSearchTranslator:
    return BeamSearchTranslator.load(folder / "run", device="cpu", batch_tokens=8, beam_size=1)


def go_on(folder: Path, draw: random.Random) -> None:
    """Go on with a translation whose journal is damaged: the output is that of no interruption."""
    mutate_stored(folder / ".out.txt.unfinished", draw)
    translate_files(_load(folder), [str(folder / "in.txt")], [str(folder / "out.txt")])
    assert (folder / "out.txt").read_bytes() == (folder / "whole.txt").read_bytes()


def write_half_a_folder(folder: Path) -> None:
    """A folder of which some files are translated, and what it would have become."""
    (folder / "in" / "b").mkdir(parents=True)
    for name, text in (("a.md", "# One\n\nTwo.\n"), ("b/c.txt", TEXT), ("d.json", '{"e": "One"}')):
        (folder / "in" / name).write_text(text, encoding="utf-8")
    translate_folder(Capitals(), folder / "in", folder / "whole")
    (folder / "in" / "e.md").write_bytes(b"\xff")
    translate_folder(Capitals(), folder / "in", folder / "out")
    (folder / "in" / "e.md").unlink()
    assert (folder / "out" / ".docmt.unfinished").exists()


def finish_folder(folder: Path, draw: random.Random) -> None:
    """Finish a folder in which the list of finished files, or a file, is damaged."""
    names = [".docmt.unfinished"] * 3 + ["a.md", "b/c.txt", "d.json"]
    damaged = folder / "out" / draw.choice(names)
    special = damaged.name in ("c.txt", "d.json") and draw.random() < 0.2
    if special:
        damaged.unlink()
        draw.choice([os.mkfifo, lambda path: path.symlink_to("/dev/zero")])(damaged)
    elif damaged.name.startswith("."):
        mutate_stored(damaged, draw)
    else:  # A link would be written through.
        mutate_values(damaged, draw)
    counts = translate_folder(Capitals(), folder / "in", folder / "out")
    assert bool(counts.failed) >= special
    if not counts.failed:
        if os.path.lexists(kept := folder / "out" / ".docmt.unfinished"):  # It was not docmt's.
            kept.rmdir() if kept.is_dir() and not kept.is_symlink() else kept.unlink()
        assert tree(folder / "out") == tree(folder / "whole")


NAMES = [
    *("a.md", "b.txt", "c.json", "d.html", "e.pdf", "f", ".g", "h.docx", "i.tsv", "j.po", "k.csv"),
    *("l\n m.txt", "n\x1b[31m.md", "\u202eo.md", "p" * 240 + ".md", "q\udcff.txt", "CON", "r .md"),
    *("s.md.part", ".a.md.1f0c9a3b-1-8a6f0c12.part", ".docmt.unfinished", "[red]t.md", "-u.md"),
]


def translate_any_folder(folder: Path, draw: random.Random) -> None:
    """Translate a folder of anything: it stays as it is, every note is on lines of its own, and
    once more gives the same."""
    root = folder / "in"
    folders = [root]
    root.mkdir()
    for _ in range(draw.randint(1, 12)):
        path = draw.choice(folders) / draw.choice(NAMES)
        if os.path.lexists(path):
            continue
        kind = draw.random()
        if kind < 0.25:
            path.mkdir()
            folders.append(path)
        elif kind < 0.4:
            draw.choice(PLANTED[:-1])(path)  # a large file is copied
        elif kind < 0.5:
            goal = draw.choice([*folders, root / "a.md", folder, Path("/")])
            path.symlink_to(os.path.relpath(goal, path.parent) if draw.random() < 0.7 else goal)
        else:
            path.write_text(draw.choice([TEXT, '{"a": "One"}', "", "One"]), encoding="utf-8")
    before = _listing(root)
    notes: list[str] = []
    counts = translate_folder(Capitals(), root, folder / "out", note=notes.append)
    assert _listing(root) == before
    shown = [*notes, *(text for _, text in counts.failed)]
    assert all(printable(line) == line for text in shown for line in text.split("\n"))
    assert not any(re.match(r"\s*m\.txt", line) for text in shown for line in text.split("\n"))
    outputs = _listing(folder / "out")
    assert not any(name.endswith(".part") and os.sep + "." in name for name in outputs)
    translate_folder(Capitals(), root, folder / "out")
    assert _listing(folder / "out") == outputs
    shutil.rmtree(folder / "out")


def _listing(folder: Path) -> dict[str, object]:
    """What is in a folder, with the content of small files."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content: object = status.st_mode
        if path.is_symlink():
            content = str(path.readlink())
        elif path.is_file() and status.st_size < 1 << 20:
            content = path.read_bytes()
        found[os.fsdecode(os.path.relpath(path, folder))] = content
    return found
