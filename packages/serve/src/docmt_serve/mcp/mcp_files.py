"""`GrantedFiles`: the files that a client of the Model Context Protocol lets the server use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docmt.glossaries import read as read_glossary
from docmt.memory import TranslationMemory
from docmt.translating.from_memory import FromMemory
from docmt.translating.memory_files import is_read, open_memories
from docmt_files.base.errors import InputError
from docmt_nmt.translators.glossary import Glossary
from docmt_nmt.translators.translator import Translator


@dataclass(frozen=True)
class GrantedFiles:
    """The files below some folders.

    Attributes:
        roots: the folders, with symbolic links resolved.
    """

    roots: tuple[Path, ...]

    @classmethod
    def below(cls, uris: Sequence[str], own: Sequence[Path]) -> GrantedFiles:
        """The files below folders.

        Args:
            uris: addresses of folders by the client; those of other machines are left out.
            own: further folders.
        """
        parts = [urlsplit(uri) for uri in uris]
        paths = [
            Path(unquote(each.path))
            for each in parts
            if (each.scheme, each.netloc) in (("file", ""), ("file", "localhost")) and each.path
        ]
        return cls(tuple(dict.fromkeys(path.resolve() for path in (*own, *paths))))

    def path(self, given: str) -> Path:
        """The path of a file, with symbolic links and `..` resolved. A relative path is below the
        only root.

        Raises:
            InputError: it is not below a root.
        """
        if not self.roots:
            raise InputError(
                "cannot be used: the client grants no folder",
                path=given,
                cure="Grant one in the client, or start the server with `root=FOLDER`",
                parameters=("root=FOLDER",),
            )
        known = ", ".join(map(str, self.roots))
        if len(self.roots) > 1 and not Path(given).is_absolute():
            raise InputError("is a relative path", path=given, cure=f"Begin it with one of {known}")
        try:
            path = (self.roots[0] / given).resolve()
            path.exists()
        except (OSError, RuntimeError, ValueError):  # a loop of links, a NUL, or too long
            raise InputError("is not a path", path=given) from None
        if not any(path.is_relative_to(root) for root in self.roots):
            raise InputError("is not in a granted folder", path=given, cure=f"Granted: {known}")
        return path

    def file(self, given: str) -> Path:
        """The path of a file to read.

        Raises:
            InputError: it is not below a root, or not a file.
        """
        path = self.path(given)
        if not path.is_file():
            raise InputError("is not a file", path=given, cure="Check the path")
        return path

    def glossary(self, given: str | None, languages: tuple[str, str]) -> Glossary | None:
        """The glossary of a file."""
        return None if given is None else read_glossary(self.file(given), languages)

    @contextmanager
    def over(self, translator: Translator, memory: str | None) -> Iterator[Translator]:
        """The translator with a memory before it."""
        if memory is None:
            yield translator
            return
        with self.memory(memory, translator.languages) as opened:
            yield FromMemory(translator, (opened,))

    def memory(self, given: str, languages: tuple[str, str]) -> TranslationMemory:
        """The memory of a file, which names its languages itself or is given them.

        Raises:
            InputError: it cannot be read, or no languages are given for it.
        """
        path = self.file(given)
        if all(languages):
            return open_memories([path], None, languages, lambda _: None)[0]
        if is_read(path):
            cure = "Give `source_language` and `to`"
            raise InputError("does not say its languages", path=given, cure=cure)
        return TranslationMemory(path)
