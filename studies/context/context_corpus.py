"""The corpus of the study: TVsub (Wang et al. 2018), divided by series.

`context.py corpus` reads a checkout of https://github.com/longyuewangdcu/tvsub and writes `train`,
`valid` and `test` in `.zh` and `.en` (a line `<d>` opens each episode), `valid-suite` and
`test-suite` (all episodes of the held-out series, from which contrastive suites are made) and
`corpus.json`: the episodes of each split, what was removed, and a SHA-256 of each file.

The licence of the corpus allows research only: publish figures, and neither text nor weights.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

STUDY = Path(__file__).resolve().parent

EPISODES = {"valid": 10, "test": 10}
"""How many episodes of each held-out series are translated and scored by sentence."""

N = 8
"""Words of the n-grams by which near-duplicates are found."""

MOST_SEEN = 0.05
"""Share of its n-grams from which on an episode is a near-duplicate of held-out ones."""

LEAST_CAPITALS = 0.01
"""Share of capitals among letters below which, and above a half of which, an episode's English is
not cased."""

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode.

    Attributes:
        number: its number in the corpus.
        source, target: its sentences, Chinese and English.
    """

    number: int
    source: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Episodes of one series, which are consecutive in the corpus.

    Attributes:
        first, last: numbers of its episodes.
        split: `train`, `valid`, `test` or `none`.
    """

    first: int
    last: int
    split: str


def read_series() -> list[Series]:
    """The series and their splits."""
    with (STUDY / "series.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [Series(int(row["first"]), int(row["last"]), row["split"]) for row in rows]


def read_episodes(folder: Path, series: Series) -> Iterator[Episode]:
    """The episodes of a series whose English is cased, without pairs that lack a side."""
    for number in range(series.first, series.last + 1):
        files = [folder / f"{number}.{language}" for language in ("zh", "en")]
        if not all(file.exists() for file in files):
            continue
        sides = [file.read_text("utf-8", errors="replace").splitlines() for file in files]
        pairs = [
            (source.strip(), target.strip())
            for source, target in zip(*sides, strict=True)
            if source.strip() and target.strip() and "�" not in source + target
        ]
        if is_cased("".join(target for _, target in pairs)):
            source, target = zip(*pairs, strict=True)
            yield Episode(number, source, target)


def is_cased(text: str) -> bool:
    """Return whether English text has capitals where they belong."""
    letters = sum(character.isalpha() for character in text)
    capitals = sum(character.isupper() for character in text)
    return LEAST_CAPITALS * letters <= capitals <= letters / 2


def words(sentences: Iterable[str]) -> list[str]:
    """The words of running English text, in lower case."""
    return [word for sentence in sentences for word in _WORD.findall(sentence.lower())]


def ngrams(running: Sequence[str]) -> set[tuple[str, ...]]:
    """The n-grams of running words."""
    return {tuple(running[i : i + N]) for i in range(len(running) - N + 1)}


def without_duplicates(
    episodes: Iterable[Episode], held_out: set[tuple[str, ...]]
) -> tuple[list[Episode], dict[str, int]]:
    """Training episodes without near-duplicates of held-out text: episodes that share many n-grams
    with it go, and of the others the sentences that share one.

    Returns:
        The episodes, and the numbers of episodes and sentences that were removed.
    """
    kept, removed = [], {"episodes": 0, "sentences": 0}
    for episode in episodes:
        own = ngrams(words(episode.target))
        if len(own & held_out) > MOST_SEEN * len(own):
            removed["episodes"] += 1
            continue
        pairs = [
            (source, target)
            for source, target in zip(episode.source, episode.target, strict=True)
            if not ngrams(words([target])) & held_out
        ]
        removed["sentences"] += len(episode.source) - len(pairs)
        source, target = zip(*pairs, strict=True)
        kept.append(Episode(episode.number, source, target))
    return kept, removed


def evenly(episodes: Sequence[Episode], count: int) -> list[Episode]:
    """As many episodes, from all over a series."""
    return [episodes[i * len(episodes) // count] for i in range(count)]


def write(path: Path, episodes: Sequence[Episode]) -> dict[str, object]:
    """Write a split.

    Returns:
        Its episodes, its number of sentences and the SHA-256 of its files.
    """
    hashes = {}
    for language, side in (("zh", "source"), ("en", "target")):
        lines = [line for e in episodes for line in ("<d>", *getattr(e, side))]
        content = "".join(f"{line}\n" for line in lines).encode()
        path.with_name(f"{path.name}.{language}").write_bytes(content)
        hashes[language] = hashlib.sha256(content).hexdigest()
    return {
        "episodes": [episode.number for episode in episodes],
        "sentences": sum(len(episode.source) for episode in episodes),
        "sha256": hashes,
    }


def divide(folder: Path) -> tuple[dict[str, list[Episode]], dict[str, int]]:
    """The episodes of each split, and what was removed."""
    splits: dict[str, list[Episode]] = {"train": []}
    for series in read_series():
        episodes = list(read_episodes(folder, series))
        if series.split == "train":
            splits["train"] += episodes
        elif series.split in EPISODES:
            chosen = evenly(episodes, EPISODES[series.split])
            splits.setdefault(series.split, []).extend(chosen)
            splits.setdefault(f"{series.split}-suite", []).extend(episodes)
    held_out: set[tuple[str, ...]] = set()
    for split in ("valid-suite", "test-suite"):
        for episode in splits[split]:
            held_out |= ngrams(words(episode.target))
    splits["train"], removed = without_duplicates(splits["train"], held_out)
    return splits, removed
