"""Files of merge operations, as subword-nmt and fastBPE write them."""

from __future__ import annotations

from dataclasses import dataclass

from docmt.errors import InputError
from docmt.files import PathLike, read_lines, write_text

_VERSIONS = {"#version: 0.1": False, "#version: 0.2": True}


@dataclass(frozen=True, slots=True)
class Codes:
    """Merge operations.

    Attributes:
        merges: pairs of symbols, first learnt first; `</w>` is the end of a word.
        end_attached: the end of a word is a part of its last character (`r</w>`), as in version
            0.2 of subword-nmt and in fastBPE, and not a symbol of its own, as in version 0.1.
    """

    merges: tuple[tuple[str, str], ...]
    end_attached: bool = True


def read_codes(path: PathLike) -> Codes:
    """Read a file of merge operations.

    A line is a pair of symbols, of fastBPE with a count. Files of subword-nmt say their version in
    the first line; those without are of version 0.1, or of fastBPE where they have counts.

    Raises:
        InputError: naming the line that is no pair, or the version that is not known.
    """
    merges: dict[tuple[str, str], None] = {}
    end_attached: bool | None = None
    for number, line in enumerate(read_lines(path), start=1):
        if number == 1 and line.startswith("#version:"):
            end_attached = _VERSIONS.get(line.strip())
            if end_attached is None:
                raise InputError(
                    f"merge operations of an unknown version ({line.strip()!r})",
                    path=str(path), line=1, cure="Write them as version 0.2",
                )  # fmt: skip
            continue
        fields = line.strip(" ").split(" ")
        counted = len(fields) == 3 and fields[2].isdecimal()
        if "" in fields or (len(fields) != 2 and not counted):
            raise InputError(
                f"no merge operation, which is two symbols: {line[:60]!r}",
                path=str(path), line=number, cure="Give the codes file of subword-nmt or fastBPE",
            )  # fmt: skip
        if end_attached is None:
            end_attached = counted
        merges[fields[0], fields[1]] = None
    if end_attached is None or not merges:
        raise InputError(
            "holds no merge operations", path=str(path), cure="Give the codes file of the system"
        )
    return Codes(tuple(merges), end_attached)


def write_codes(codes: Codes, path: PathLike) -> None:
    """Write merge operations in the format of subword-nmt, which reads them too."""
    version = "0.2" if codes.end_attached else "0.1"
    lines = [f"#version: {version}", *(f"{left} {right}" for left, right in codes.merges)]
    write_text(path, "".join(line + "\n" for line in lines))
