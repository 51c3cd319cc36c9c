"""Languages as office files name them, with a region."""

from __future__ import annotations

_REGIONS = {
    "ar": "SA",
    "bg": "BG",
    "bn": "IN",
    "ca": "ES",
    "cs": "CZ",
    "da": "DK",
    "de": "DE",
    "el": "GR",
    "en": "US",
    "es": "ES",
    "et": "EE",
    "eu": "ES",
    "fa": "IR",
    "fi": "FI",
    "fr": "FR",
    "ga": "IE",
    "gl": "ES",
    "gu": "IN",
    "he": "IL",
    "hi": "IN",
    "hr": "HR",
    "hu": "HU",
    "hy": "AM",
    "id": "ID",
    "is": "IS",
    "it": "IT",
    "ja": "JP",
    "ka": "GE",
    "kk": "KZ",
    "ko": "KR",
    "lt": "LT",
    "lv": "LV",
    "mk": "MK",
    "ml": "IN",
    "mr": "IN",
    "ms": "MY",
    "mt": "MT",
    "nb": "NO",
    "nl": "NL",
    "nn": "NO",
    "no": "NO",
    "pa": "IN",
    "pl": "PL",
    "pt": "PT",
    "ro": "RO",
    "ru": "RU",
    "sk": "SK",
    "sl": "SI",
    "sq": "AL",
    "sv": "SE",
    "ta": "IN",
    "te": "IN",
    "th": "TH",
    "tr": "TR",
    "uk": "UA",
    "ur": "PK",
    "uz": "UZ",
    "vi": "VN",
    "zh": "CN",
}
_EAST_ASIAN = frozenset(("ja", "ko", "zh"))


def with_region(language: str) -> str:
    """The code of a language with a region, as `de-DE`; as it is if the region is not known."""
    code = language.replace("_", "-")
    region = _REGIONS.get(code.lower())
    return f"{code}-{region}" if region else code


def language_of(code: str) -> str:
    """The language of a code in a file, without its region; "" if it has none."""
    return code.replace("_", "-").partition("-")[0].lower()


def is_east_asian(language: str) -> bool:
    """Return whether a language is Chinese, Japanese or Korean."""
    return language_of(language) in _EAST_ASIAN
