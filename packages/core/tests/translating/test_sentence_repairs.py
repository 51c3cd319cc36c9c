"""Additions, copied labels, lost names and names of the calendar are repaired, other sentences
stay."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

import docmt_nmt
from docmt.translating.text_repairs.added_words import AddedWords
from docmt.translating.text_repairs.calendar_names import CalendarNames, calendar_name
from docmt.translating.text_repairs.copied_labels import CopiedLabels
from docmt.translating.text_repairs.lost_names import LostNames
from docmt_files.base.documents import SentenceMatch, SentenceWarning
from docmt_nmt.base.translations import Candidate, TranslatedSentence, Translation
from docmt_nmt.translators import Revision, SourceDocument, TranslationRequest, Translator, planned
from docmt_nmt.translators.checks.addition_checks import without_added_brackets


@dataclass(frozen=True)
class Guessing(Translator):
    """Gives the first answer for a sentence, all of them where several are asked for, and one with
    a required word where it must."""

    answers: dict[str, list[str]]
    losses: dict[str, float] = field(default_factory=dict)
    requests: list[TranslationRequest] = field(default_factory=list)
    gives = frozenset({"sentences", "words", "revisions", "alternatives"})
    languages = ("en", "pt")

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        request = planned(self, request).request
        self.requests.append(request)
        return [self._translation(request, owner) for owner in range(len(request.sources))]

    def _translation(self, request, owner):
        made = []
        revision = request.revision
        for index, sentence in enumerate(request.sources[owner].sentences):
            if revision is not None and (owner, index) not in revision.sentences:
                made.append(TranslatedSentence(sentence.text, revision.known[owner].target[index]))
                continue
            texts = self.answers.get(sentence.text, [sentence.text.upper()])
            if revision is not None and (required := revision.required.get((owner, index))):
                texts = [t for t in texts if all(w in t for (w,) in required)] or texts
            best, *others = [
                Candidate(text, -0.1 - self.losses.get(text, 0)) for text in texts[: request.n_best]
            ]
            kinds = (SentenceWarning("brackets", ""),) if "(" in best.text else ()
            made.append(TranslatedSentence(sentence.text, *best, others=tuple(others),
                                           warnings=kinds))  # fmt: skip
        return Translation(request.sources[owner].id, tuple(made), (len(made),))


def repaired(repair, texts, answers, losses=None, **how):
    """The translations of a document of texts, and the translator."""
    made = Guessing(answers, losses or {})
    sentences = [
        text if isinstance(text, docmt_nmt.Sentence) else docmt_nmt.Sentence(text) for text in texts
    ]
    request = TranslationRequest([SourceDocument("d", tuple(sentences))], **how)
    (translation,) = docmt_nmt.translate(made, request, [repair])
    return translation, made


def test_brackets_at_the_end_are_taken_off_without_asking():
    answers = {"Logout": ["Logout (em inglês)"], "See (it)": ["Veja (isto)"]}
    translation, made = repaired(AddedWords(), ["Logout", "See (it)"], answers)
    assert translation.document.target == ("Logout", "Veja (isto)")
    assert [each.kind for each in translation.sentences[0].warnings] == []
    assert len(made.requests) == 1


@pytest.mark.parametrize(
    ("source", "target", "shorter"),
    [
        ("Jan.", "Jan. (em inglês).", "Jan."),
        ("Log out.", "Sair (em inglês).", "Sair."),
        ("Logout", "(em inglês)", "(em inglês)"),
        ("Client post", "Cliente (post)", "Cliente (post)"),
        ("a (b)", "c (em inglês)", "c (em inglês)"),
    ],
)
def test_what_is_left_without_brackets_is_the_translation(source, target, shorter):
    assert without_added_brackets(source, target) == shorter


def test_brackets_with_a_placeholder_stay():
    sentence = docmt_nmt.Sentence("Sent {n}", protected=("{n}",))
    answers = {"Sent {n}": ["Enviado ({n})"]}
    translation, _ = repaired(AddedWords(), [sentence], answers)
    assert translation.document.target == ("Enviado ({n})",)


def test_the_best_candidate_without_an_addition_is_taken():
    answers = {"Open it.": ["Abra o o.", "Abra (a isto.", "Abra 120.", "Abra isto.", "Isto."]}
    translation, made = repaired(AddedWords(), ["Close.", "Open it."], answers)
    assert translation.document.target == ("CLOSE.", "Abra isto.")
    assert translation.sentences[1].others == ()
    assert (made.requests[1].n_best, made.requests[1].revision.sentences) == (4, {(0, 1)})


def test_a_candidate_that_is_far_less_probable_is_not_taken():
    answers = {"Open it.": ["Abra o o.", "Abra isto."]}
    translation, _ = repaired(AddedWords(), ["Open it."], answers, {"Abra isto.": 1.5})
    assert translation.document.target == ("Abra o o.",)


def test_translations_that_a_user_asks_for_are_kept():
    answers = {"Open it.": ["Abra o o.", "Abra isto.", "Abra-o."]}
    translation, _ = repaired(AddedWords(), ["Open it."], answers, n_best=2)
    assert [each.text for each in translation.sentences[0].alternatives] == [
        "Abra isto.", "Abra o o."]  # fmt: skip


def test_other_sentences_of_a_revision_keep_their_additions():
    made = Guessing({"Logout": ["Logout (em inglês)"]})
    document = docmt_nmt.Document("d", ("Logout", "Open"))
    known = (document.translated(("Logout (em inglês)", "?")),)
    request = TranslationRequest([document], revision=Revision(known, frozenset({(0, 1)})))
    (translation,) = docmt_nmt.translate(made, request, [AddedWords()])
    assert translation.document.target == ("Logout (em inglês)", "OPEN")


def test_a_copied_label_is_translated_in_lower_case():
    answers = {"Quick Refresh": ["Quick Refresh"], "quick refresh": ["atualização rápida"]}
    translation, made = repaired(CopiedLabels(), ["Quick Refresh", "Open"], answers)
    assert translation.document.target == ("Atualização rápida", "OPEN")
    assert translation.document.source == ("Quick Refresh", "Open")
    assert made.requests[1].revision.sentences == {(0, 0)}


@pytest.mark.parametrize(
    ("texts", "lower"),
    [
        (["Widgets"], ["widgets"]),
        (["Logout"], ["logout (em inglês)"]),
        (["Cache"], ["o cache"]),
        (["Pocket", "Then open Pocket."], ["bolso"]),
        (["GitHub"], ["cubo"]),
        (["HTML"], ["texto"]),
        (["Mon"], ["seg"]),
    ],
)
def test_names_and_labels_without_another_translation_stay(texts, lower):
    answers = {texts[0]: [texts[0]], texts[0].lower(): lower}
    translation, _ = repaired(CopiedLabels(), texts, answers)
    assert translation.document.target[0] == texts[0]


def test_a_label_from_a_memory_stays():
    match = SentenceMatch("exact", 1.0, "Refresh", "Refresh")
    translation = Translation("d", (TranslatedSentence("Refresh", "Refresh", match=match),))
    request = TranslationRequest([docmt_nmt.Document("d", ("Refresh",))])
    assert CopiedLabels().retry(Guessing({}), request, [translation]) is None


def test_names_by_form_and_of_commands_are_required():
    texts = [
        "Open OmegaT now.",
        docmt_nmt.Sentence("Start linkding by linkding start.", protected=("linkding start",)),
        "Install linkding now.",
        "Build it with Ant, or with Ant again.",
        docmt_nmt.Sentence("Run ant -f now.", protected=("ant -f",)),
    ]
    answers = {
        texts[0]: ["Abra isto agora.", "Abra OmegaT agora."],
        texts[1].text: ["Inicie linkding por linkding start."],
        texts[2]: ["Instale a ligação agora.", "Instale linkding agora."],
        texts[3]: ["Faça com a formiga ou formiga.", "Faça com Ant, ou com Ant outra vez."],
        texts[4].text: ["Execute ant -f agora."],
    }
    translation, made = repaired(LostNames(), texts, answers)
    assert translation.document.target == (
        "Abra OmegaT agora.",
        "Inicie linkding por linkding start.",
        "Instale linkding agora.",
        "Faça com Ant, ou com Ant outra vez.",
        "Execute ant -f agora.",
    )
    assert made.requests[1].revision.sentences == {(0, 0), (0, 2), (0, 3)}


def test_names_that_most_translations_keep_are_required_everywhere():
    texts = ["Send it to Pocket.", "Save to Pocket now.", "The button of Pocket is here."]
    answers = {
        texts[0]: ["Envie ao Pocket."],
        texts[1]: ["Salve no Pocket agora."],
        texts[2]: ["O botão do bolso está aqui.", "O botão do Pocket está aqui."],
    }
    translation, _ = repaired(LostNames(), texts, answers)
    assert translation.document.target[2] == "O botão do Pocket está aqui."


def test_words_of_the_language_are_not_required():
    texts = ["Press Enter now.", "Then press Enter.", "Enter your name.", "Enter it, or enter two."]
    answers = {
        texts[0]: ["Pressione Enter agora."],
        texts[1]: ["Depois pressione Enter."],
        texts[2]: ["Digite seu nome."],
        texts[3]: ["Digite."],
    }
    _, made = repaired(LostNames(), texts, answers)
    assert len(made.requests) == 1


def test_a_translation_with_the_name_that_loses_words_is_not_taken():
    answers = {"Open OmegaT now, please.": ["Abra isto agora, por favor.", "OmegaT"]}
    translation, made = repaired(LostNames(), ["Open OmegaT now, please."], answers)
    assert translation.document.target == ("Abra isto agora, por favor.",)
    assert len(made.requests) == 2


def test_a_translation_with_the_name_that_changes_other_words_is_not_taken():
    texts = ["Open Commerce now.", "Then open Commerce.", "The Commerce app and Retail."]
    answers = {
        texts[0]: ["Abra o Commerce agora."],
        texts[1]: ["Depois abra o Commerce."],
        texts[2]: ["O aplicativo comércio e varejo.", "O aplicativo Commerce e retalho."],
    }
    translation, _ = repaired(LostNames(), texts, answers)
    assert translation.document.target[2] == "O aplicativo comércio e varejo."


def test_names_of_the_calendar_come_from_their_keys():
    sentences = [
        docmt_nmt.Sentence("Sun", key="date.abbr_day_names.0"),
        docmt_nmt.Sentence("Sun", key="planets.1"),
        docmt_nmt.Sentence("May", key="date.month_names.5"),
    ]
    translation, made = repaired(CalendarNames(), sentences, {"Sun": ["Sol"], "May": ["Pode"]})
    assert translation.document.target == ("dom.", "Sol", "maio")
    assert len(made.requests) == 1


@pytest.mark.parametrize(
    ("key", "text", "language", "name"),
    [
        ("en.date.day_names.3", "Wednesday", "de", "Mittwoch"),
        ("date.abbr_month_names.5", "May", "de", "Mai"),
        ("date.month_names.3", "March", "pt-BR", "março"),
        ("calendar.weekdaysShort.1", "Mon", "fr", "lun."),
        ("datepicker.months.january", "January", "ru", "январь"),
        ("time.am", "am", "sv", "fm"),
        ("time.pm", "PM", "zh", "下午"),
        ("time.am", "I am here", "sv", ""),
        ("date.day_names.0", "Holiday", "de", ""),
        ("menu.sun", "Sun", "de", ""),
        ("date.day_names.0", "Sunday", "xx", ""),
        ("", "Sunday", "de", ""),
    ],
)
def test_the_name_of_a_day_or_month_is_that_of_cldr(key, text, language, name):
    assert calendar_name(key, text, ("en", language)) == name


def test_a_name_from_a_memory_stays():
    match = SentenceMatch("exact", 1.0, "Sun", "Sol")
    sentence = docmt_nmt.Sentence("Sun", key="date.abbr_day_names.0")
    request = TranslationRequest([SourceDocument("d", (sentence,))])
    taken = replace(TranslatedSentence("Sun", "Sol"), match=match)
    assert CalendarNames().retry(Guessing({}), request, [Translation("d", (taken,))]) is None


@dataclass(frozen=True)
class Instructed(Guessing):
    """A language model."""

    gives = Guessing.gives | {"instructions"}


def test_a_language_model_is_not_asked_again():
    made = Instructed({"Refresh": ["Refresh"], "Open OmegaT it.": ["Abra o o."]})
    document = docmt_nmt.Document("d", ("Refresh", "Open OmegaT it."))
    (translation,) = docmt_nmt.translate(
        made, [document], [LostNames(), AddedWords(), CopiedLabels()]
    )
    assert translation.document.target == ("Refresh", "Abra o o.")
    assert len(made.requests) == 1
