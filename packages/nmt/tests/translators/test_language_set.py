"""`LanguageSet`: the languages of a translator, and the pair that a user means."""

from __future__ import annotations

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.translators.language_set import LanguageSet

MANY = LanguageSet(("en", "de", "zh", "zh-Hant"), ("en", "de", "zh", "zh-Hant", "pt-BR", "pt-PT"))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (("en", "de"), ("en", "de")),
        (("eng_Latn", "deu_Latn"), ("en", "de")),
        (("de-AT", "en-US"), ("de", "en")),
        (("zh-Hans", "en"), ("zh", "en")),
        (("zh-TW", "en"), ("zh-Hant", "en")),
        (("en", "pt_br"), ("en", "pt-BR")),
        (("en", "pt"), ("en", "pt-BR")),
    ],
)
def test_a_code_means_the_nearest_language(asked, found):
    assert MANY.pair(*asked) == found


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("en", "fr"), "does not translate into 'fr'.*`to`.*en, de, zh, zh-Hant, pt-BR, pt-PT"),
        (("pt-BR", "de"), "does not translate from 'pt-BR'.*`source_language`"),
        (("en", "pt-AO"), "'pt-AO' is ambiguous: pt-BR or pt-PT"),
        (("de", "de-AT"), "from 'de' into 'de'"),
        (("english", "de"), "not a valid language code"),
    ],
)
def test_a_language_that_a_translator_lacks_is_refused_with_those_that_it_has(asked, message):
    with pytest.raises(InputError, match=message):
        MANY.pair(*asked)


def test_the_pairs_are_all_sources_into_all_other_targets():
    pairs = list(LanguageSet(("en", "de"), ("en", "de", "fr")).pairs())
    assert pairs == [("en", "de"), ("en", "fr"), ("de", "en"), ("de", "fr")]
