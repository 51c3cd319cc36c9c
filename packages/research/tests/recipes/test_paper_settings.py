"""Every number of the papers' sections on settings has a key of a recipe, the published size of a
corpus, or the word open."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest

from docmt_files.base.packaged_tables import read_table
from docmt_nmt import recipes
from docmt_nmt.recipes.yaml_source import parse_override, read

SETTINGS = read(Path(__file__).parent / "paper_settings.yaml")[0]
NUMBER = re.compile(
    r"(?<![\w.−-])\d(?:[\d,]*\d)?(?:\.\d+)?(?:e?−\d+|x\d+|[KMk%](?!\w))?|\b(?:two|four|five|ten)\b"
)
"""A number of a sentence; names such as tst2012 and β1 have none."""

NUMBERS = [
    (f"{paper}, {entry['at']}: {number} in “{entry['says'][:40]}…”", value, number)
    for paper, entries in SETTINGS.items()
    for entry in entries
    for number, value in entry["is"].items()
]


@pytest.mark.parametrize("paper", SETTINGS)
def test_every_number_of_a_sentence_is_listed(paper: str) -> None:
    for entry in SETTINGS[paper]:
        assert list(entry["is"]) == list(dict.fromkeys(NUMBER.findall(entry["says"]))), entry


@pytest.mark.parametrize(("what", "value", "number"), NUMBERS, ids=lambda one: str(one)[:60])
def test_a_number_is_in_the_recipe_or_open(what: str, value: str, number: str) -> None:
    kind, _, rest = value.partition(": ")
    if kind == "open":
        assert rest.strip()
    elif kind == "counts":
        corpus, size = rest.split(" ", 1)
        printed = read_table("docmt_research.analysis", "published_counts.toml")[corpus][size]
        assert number.replace(",", "") in printed
    else:
        recipe, override, settings = re.fullmatch(r"([\w-]+)(?:\((.*?)\))? (.*)", value).groups()
        own = stages(recipe, override)
        for setting in re.findall(r"(?:\w+ per update|[\w.]+)=(?:\[[^]]*\]|\S+)", settings):
            path, expected, _ = parse_override(setting)
            assert expected in [found(stage, path) for stage in own], setting


@functools.cache
def stages(recipe: str, override: str | None) -> list[dict[str, Any]]:
    """The stages of a recipe, with the size of an update beside their keys."""
    loaded = recipes.load(recipe, [override] if override else [])
    values = [stage.model_dump(mode="json") for _, stage in recipes.stages(loaded, Path("run"))]
    for stage in values:
        training = stage["training"]
        for unit in ("sentences", "tokens"):
            limit = training[f"batch_{unit}"]
            stage[f"{unit} per update"] = limit and limit * training["accumulate_batches"]
    return values


def found(stage: dict[str, Any], path: tuple[str, ...]) -> Any:
    return functools.reduce(lambda part, key: part and part.get(key), path, stage)
