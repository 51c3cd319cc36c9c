"""Files of BPE merge operations ("codes"), as subword-nmt and fastBPE write them."""

from __future__ import annotations

from dataclasses import dataclass

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, read_lines, write_text

_VERSIONS = {"#version: 0.1": False, "#version: 0.2": True}


@dataclass(frozen=True, slots=True)
class MergeOperations:
    """Merge operations of byte-pair encoding.

    Attributes:
        merges: pairs of symbols, in the order in which they were learned; `</w>` is the end of a
            word.
        end_attached: the end of a word is part of the last character (`r</w>`), as in version 0.2
            of subword-nmt and in fastBPE, and not a separate symbol, as in version 0.1.
    """

    merges: tuple[tuple[str, str], ...]
    end_attached: bool = True


def read_codes(path: PathLike) -> MergeOperations:
    """Read a file of merge operations.

    Each line is a pair of symbols, followed in fastBPE by a count. Files of subword-nmt give their
    version in the first line; files without a version are fastBPE's if they have counts, or else of
    version 0.1.

    Raises:
        InputError: a line is not a pair, or the version is unknown; the error names the line.
    """
    merges: dict[tuple[str, str], None] = {}
    end_attached: bool | None = None
    for number, line in enumerate(read_lines(path), start=1):
        if number == 1 and line.startswith("#version:"):
            end_attached = _VERSIONS.get(line.strip())
            if end_attached is None:
                raise InputError(
                    f"unknown version of merge operations ({line.strip()!r})",
                    path=str(path),
                    line=1,
                    cure="Write them as version 0.2",
                )
            continue
        fields = line.strip(" ").split(" ")
        has_count = len(fields) == 3 and fields[2].isdecimal()
        if "" in fields or (len(fields) != 2 and not has_count):
            raise InputError(
                f"not a merge operation, which is two symbols: {line[:60]!r}",
                path=str(path),
                line=number,
                cure="Use the codes file that subword-nmt or fastBPE wrote",
            )
        if end_attached is None:
            end_attached = has_count
        merges[fields[0], fields[1]] = None
    if end_attached is None or not merges:
        raise InputError(
            "the file has no merge operations", path=str(path), cure="Use the system's codes file"
        )
    return MergeOperations(tuple(merges), end_attached)


def write_codes(operations: MergeOperations, path: PathLike) -> None:
    """Write merge operations in the format of subword-nmt, which can read them too."""
    version = "0.2" if operations.end_attached else "0.1"
    lines = [f"#version: {version}", *(f"{left} {right}" for left, right in operations.merges)]
    write_text(path, "".join(line + "\n" for line in lines))
