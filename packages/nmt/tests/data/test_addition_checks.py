"""What only one side of a sentence pair has: doubled words, brackets, sentences, negations,
identifiers."""

from __future__ import annotations

import pytest

from docmt_nmt.translators.checks.addition_checks import (
    bracket_differences,
    doubled_words,
    sentence_difference,
)
from docmt_nmt.translators.checks.identifier_checks import lost_identifiers
from docmt_nmt.translators.checks.negation_checks import differing_negation

EN_PT = ("en", "pt")


@pytest.mark.parametrize(
    ("target", "language", "doubled"),
    [
        ("Abra o o ficheiro.", "pt", "o o"),
        ("Öffnen Sie Sie bitte bitte.", "de", "bitte bitte"),
        ("na lista na lista de vídeos", "pt", "na lista na lista"),
        ("The the file", "en", "The the"),
        ("die Dateien, in die die Seite schreibt", "de", ""),
        ("nous nous arrêtons", "fr", ""),
        ("anak anak", "id", ""),
        ("Ben Benson", "de", ""),
        ("a-b b-c", "de", ""),
        ("Lies 3 3 Zeilen", "de", ""),
        ("de ʹ ʹ", "pt", ""),
    ],
)
def test_a_word_twice_in_succession_is_seen(target, language, doubled):
    assert doubled_words("Open the file.", target, language) == doubled


def test_a_source_may_double_words():
    assert doubled_words("Bye bye", "Tchau tchau", "pt") == ""


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ("Logout", "Logout (em inglês)", ["(em inglês) added"]),
        ("Open it now.", "Abra (agora.", ["( added"]),
        ("Add a tag (optional)", "Adicionar etiqueta", ["(optional) lost"]),
        ("Add a tag (optional)", "タグを追加（任意）", []),
        ("Delete the file(s)", "Dateien löschen", []),
        ("build succeeded", "предупреждение(-ий)", []),
        ("a field valid until", "ein Feld valid until (gültig bis) hinzufügen", []),
        ("the plan (time fence) option", "预测计划(时限) 选项", []),
        ("the plan (time fence) option", "预测计划 选项", ["(time fence) lost"]),
        ("The chosen book", "Le livre choisi(e)(s)", []),
        ("a) First", "1) Erstens", []),
        ("Client secret post", "Secret client (post)", []),
        ("It has an uptime of more than four hundred days.",
         "Er hat eine Uptime (Einschaltdauer) von mehr als 400 Tagen.", []),
        ("It has an uptime of more than four hundred days.",
         "Tem um tempo de mais de 400 dias (em inglês).", ["(em inglês) added"]),
        ("See [1].", "Siehe 1.", ["[1] lost"]),
        ("See (1).", "Siehe 1.", ["(1) lost"]),
        ("It stretches 300 km (180 miles) here.", "Es erstreckt sich über 300 km.", []),
        ("The point of sale (POS) application.", "Die POS-Anwendung.", []),
        ("The point of sale (POS) application.", "Die Anwendung.", ["(POS) lost"]),
        ("Funding of artificial intelligence", "Fundos de inteligência artificial (IA)", []),
        ("Logout", "Sair (EN)", ["(EN) added"]),
    ],
)  # fmt: skip
def test_brackets_of_one_side_are_seen(source, target, found):
    assert list(bracket_differences(source, target)) == found


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ("Save it before closing.", "Salve antes de fechar. A sua reserva. Explore no local.",
         "3 sentences instead of 1"),
        ("It is done. Please sign in again to see the draft.", "Está feito.",
         "1 sentence instead of 2"),
        ("It is done. Please sign in.", "Está feito, então entre novamente.", ""),
        ("It is done, so please sign in, or wait.", "Está feito. Entre novamente no sistema ou"
         " então espere um pouco mais por isso.", ""),
        ("Illness", "157. Krankheit", ""),
        ("See e.g. Figure 2", "Siehe z. B. Abbildung 2", ""),
    ],
)  # fmt: skip
def test_lost_and_added_sentences_are_seen(source, target, found):
    assert sentence_difference(source, target, EN_PT) == found


@pytest.mark.parametrize(
    ("source", "target", "language", "found"),
    [
        ("This cannot be undone.", "Isto pode ser feito.", "pt", "cannot lost"),
        ("This cannot be undone.", "Isto não pode ser desfeito.", "pt", ""),
        ("Do not open it.", "Не открывайте.", "ru", ""),
        ("Do not open it.", "Открывайте.", "ru", "not lost"),
        ("You're not only late.", "Sie sind spät.", "de", ""),
        ("It is not valid.", "Es ist ungültig.", "de", ""),
        ("The copy is on the disk.", "Die Kopie ist nicht auf der Platte.", "de", "nicht added"),
        ("There is no copy.", "Não há cópia.", "pt", ""),
        ("The network is down.", "Das Netzwerk ist nicht aktiv.", "de", ""),
        ("They are blocked from reading it.", "Sie dürfen es nicht lesen.", "de", ""),
        ("It may or may not be there.", "Pode estar lá.", "pt", ""),
        ("The values aren't the same.", "Os valores são diferentes.", "pt", ""),
        ("The values aren't the same.", "Os valores são iguais.", "pt", "aren't lost"),
        ("It isn't there.", "ファイルがある。", "ja", "isn't lost"),
        ("It isn't there.", "Es ist da.", "xx", ""),
        ("Don't go.", "Gå.", "nb", "Don't lost"),
    ],
)
def test_negations_of_one_side_are_seen(source, target, language, found):
    assert differing_negation(source, target, ("en", language)) == found


@pytest.mark.parametrize(
    ("source", "target", "lost"),
    [
        ("Use --force.", "Use --forçar.", ["--force"]),
        ("Call close() then.", "Rufen Sie schließen() auf.", ["close()"]),
        ("Set LOG_LEVEL.", "Defina NIVEL.", ["LOG_LEVEL"]),
        ("Edit config.yaml in /etc/app/x.", "Edite config.yaml em /etc/app/x.", []),
        ("Edit /etc/app/errors.", "Edite /etc/app/erros.", ["/etc/app/errors"]),
        ("Version 1.2.3 and either/or", "Versão 1.2.3 e um ou outro", []),
        ("Set maxRetries on iOS", "设置最大重试次数", ["maxRetries"]),
        ("many math_renderers", "muitos math_renderer", []),
    ],
)
def test_lost_identifiers_are_seen(source, target, lost):
    assert lost_identifiers(source, target) == lost
