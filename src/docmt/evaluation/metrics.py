"""The metrics by name, and how sacrebleu computes each: BLEU (Papineni et al. 2002, in the version
of Post 2018), chrF (Popović 2015) and TER (Snover et al. 2006).

Bao et al. 2021, appendix A, define s-BLEU (n-grams are matched within a sentence) and d-BLEU
(within a document).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from docmt.errors import InputError
from docmt.evaluation.scores import Unit
from docmt.text.base import primary
from docmt.wording import did_you_mean


@dataclass(frozen=True, slots=True)
class Kind:
    """A metric: its name, what it counts, and what it compares as one segment."""

    name: str
    family: Literal["BLEU", "chrF", "TER"]
    unit: Unit


METRICS = {
    kind.name.lower(): kind
    for kind in (
        Kind("s-BLEU", "BLEU", "sentence"),
        Kind("d-BLEU", "BLEU", "document"),
        Kind("instance-BLEU", "BLEU", "instance"),
        Kind("s-chrF", "chrF", "sentence"),
        Kind("d-chrF", "chrF", "document"),
        Kind("TER", "TER", "sentence"),
    )
}
"""The metrics under the names that recipes and the command line give them."""

DEFAULT_TOKENIZER = "13a"

TOKENIZERS_OF_LANGUAGES = {
    "zh": "zh", "zho": "zh", "chi": "zh", "cmn": "zh", "yue": "zh",
    "ja": "ja-mecab", "jpn": "ja-mecab",
    "ko": "ko-mecab", "kor": "ko-mecab",
    # Written without spaces, so that 13a would take whole clauses for words.
    "th": "char", "tha": "char", "lo": "char", "lao": "char", "km": "char", "khm": "char",
    "my": "char", "mya": "char", "bo": "char", "bod": "char",
}  # fmt: skip
"""Languages whose words `13a` does not find, by ISO 639 code."""

INSTALLED_WITH = {"ja-mecab": "sacrebleu[ja]", "ko-mecab": "sacrebleu[ko]"}


def metric_kind(name: str) -> Kind:
    """The metric of a name.

    Raises:
        InputError: there is none; names the nearest.
    """
    kind = METRICS.get(name.lower())
    if kind is None:
        raise InputError(f"unknown metric {name!r}", cure=nearest(name, METRICS))
    return kind


def tokenizer_name(tokenize: str | None, language: str | None) -> str:
    """The tokenizer of BLEU: the one asked for, or else the language's.

    Raises:
        InputError: the one asked for is unknown.
    """
    if tokenize is None:
        return TOKENIZERS_OF_LANGUAGES.get(primary(language or "en"), DEFAULT_TOKENIZER)
    if tokenize not in BLEU.TOKENIZERS:
        raise InputError(f"unknown tokenizer {tokenize!r}", cure=nearest(tokenize, BLEU.TOKENIZERS))
    return tokenize


def build(
    kind: Kind, *, lowercase: bool, tokenize: str | None, language: str | None
) -> BLEU | CHRF | TER:
    """sacrebleu's computation of a metric.

    Raises:
        InputError: the tokenizer is unknown, not installed or cannot be fetched.
    """
    if kind.family == "BLEU":
        return build_bleu(lowercase=lowercase, tokenizer=tokenizer_name(tokenize, language))
    if kind.family == "chrF":
        return CHRF(lowercase=lowercase)
    # Tercom splits Chinese and Japanese into characters in its normalisation only.
    asian = tokenizer_name(None, language) in ("zh", "ja-mecab")
    return TER(case_sensitive=not lowercase, normalized=asian, asian_support=asian)


def build_bleu(*, lowercase: bool, tokenizer: str) -> BLEU:
    """BLEU with a tokenizer that may be missing on this machine."""
    try:
        # `force` only mutes a warning; `evaluate` notes tokenized input in the score instead.
        return BLEU(lowercase=lowercase, tokenize=tokenizer, force=True)
    except (RuntimeError, ImportError, OSError) as error:
        package = INSTALLED_WITH.get(tokenizer)
        reason = "it is not installed" if package else error
        fetch = f"Install it with `pip install '{package}'`" if package else "Check the network"
        raise InputError(
            f"the tokenizer {tokenizer!r} cannot be loaded ({reason})",
            cure=f"{fetch}, or choose another: `char` scores characters",
        ) from error


def forget_segments(metric: Metric) -> None:
    """Empty the caches in which sacrebleu keeps tokenized segments for the life of the process.

    They hold up to 65,536 segments each, which is little for sentences but, for whole documents
    scored at every validation of a long training, gigabytes.
    """
    tokenizer = getattr(metric, "tokenizer", None)
    for part in (tokenizer, getattr(tokenizer, "_post_tokenizer", None)):
        clear = getattr(type(part).__call__, "cache_clear", None)
        if clear is not None:
            clear()


def nearest(name: str, known: Iterable[str]) -> str:
    """What to do about an unknown name."""
    names = sorted(known)
    hint = did_you_mean(name.lower(), names)
    return hint[0].upper() + hint[1:] if hint else f"Known: {', '.join(names)}"
