"""A review as JSON, which the page saves; and what merging needs to know, as JSON in XLIFF."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from docmt_files.review.review_units import Review, Segment, Tag, TaggedText, Unit, tidied
from docmt_files.storage.json_files import json_text, parse_json, read_model

if TYPE_CHECKING:
    from docmt_files.storage.files import PathLike

_CURE = "Save it again from the review page, or merge the XLIFF file"


class _Base(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Columns(_Base):
    names: list[str] = Field(min_length=1)
    new: bool = False


class _Reading(_Base):
    """The settings with which the file was read, as of `Input`, and the language of sentences."""

    language: str
    segmented: bool = False
    boundaries: Literal["markers", "blank", "sentences", "none"] | None = None
    file_format: str | None = None
    columns: _Columns | None = None
    rules: str = ""


class Manifest(_Base):
    """What merging needs to know besides the units; see `Review`."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    reading: _Reading
    final: list[str] = Field(default_factory=list)
    written: dict[str, list[str]]
    check: str

    @model_validator(mode="before")
    @classmethod
    def _is_whole(cls, values: Any) -> Any:
        if isinstance(values, dict):
            others = {name: value for name, value in values.items() if name != "check"}
            if values.get("check") != _check(others):
                raise ValueError("the manifest is damaged")
        return values

    def values(self) -> dict[str, Any]:
        """The fields of `Review`."""
        return {
            "sha256": self.sha256,
            "reading": self.reading.model_dump(exclude_defaults=True),
            "final": frozenset(self.final),
            "written": {name: tuple(values) for name, values in self.written.items()},
        }


class _Tag(_Base):
    id: str
    kind: Literal["open", "close", "alone"]
    shown: str = ""


class _Segment(_Base):
    id: str
    source: list[str | _Tag]
    target: list[str | _Tag] | None
    approved: bool = False


class _Unit(_Base):
    id: str
    segments: list[_Segment]


class _File(_Base):
    docmt_review: Literal[1]
    original: str
    languages: tuple[str, str] = Field(strict=False)
    manifest: Manifest
    units: list[_Unit]


def manifest(review: Review) -> str:
    """What merging needs to know, as JSON."""
    return json_text(manifest_values(review))


def manifest_values(review: Review) -> dict[str, Any]:
    """What merging needs to know, as plain values."""
    values: dict[str, Any] = {
        "sha256": review.sha256,
        "reading": dict(review.reading),
        "final": sorted(review.final),
        "written": {name: list(digests) for name, digests in review.written.items()},
    }
    return {**values, "check": _check(values)}


def _check(values: dict[str, Any]) -> str:
    """A digest of a manifest, by which damage is seen: it could hide that a unit is missing."""
    return sha256(json_text(sorted(values.items())).encode()).hexdigest()[:12]


def read_manifest(text: str) -> Manifest | None:
    """The manifest in a file; None if it is missing or damaged."""
    try:
        return Manifest.model_validate(parse_json(text))
    except ValueError:
        return None


def review_values(review: Review) -> dict[str, Any]:
    """A review as plain values."""

    def values(text: Iterable[str | Tag]) -> list[Any]:
        return [part if isinstance(part, str) else part._asdict() for part in text]

    return {
        "docmt_review": 1,
        "original": review.original,
        "languages": list(review.languages),
        "manifest": manifest_values(review),
        "units": [
            {
                "id": unit.id,
                "segments": [
                    {
                        "id": segment.id,
                        "source": values(segment.source),
                        "target": None if segment.target is None else values(segment.target),
                        "approved": segment.approved,
                    }
                    for segment in unit.segments
                ],
            }
            for unit in review.units
        ],
    }


def read_review_json(path: PathLike) -> Review:
    """The review in a JSON file.

    Raises:
        InputError: it is missing, too large, damaged or not a review.
    """
    file = read_model(path, _File, what="a review of docmt", cure=_CURE)
    return Review(
        file.original,
        file.languages,
        tuple(Unit(unit.id, tuple(map(_segment, unit.segments))) for unit in file.units),
        **file.manifest.values(),
    )


def _segment(segment: _Segment) -> Segment:
    target = None if segment.target is None else _text(segment.target)
    return Segment(segment.id, _text(segment.source), target, approved=segment.approved)


def _text(values: Iterable[str | _Tag]) -> TaggedText:
    return tidied(v if isinstance(v, str) else Tag(v.id, v.kind, v.shown) for v in values)
