"""`docmt translate --context` with the bundled adapter, over Firefox's model from English to
Portuguese: files, codes, glossaries, memories, journals and reviews.
"""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt.interop import import_marian
from docmt.memory import TranslationMemory, Unit
from docmt_nmt.compiling.compile_anywhere import install_compiled
from firefox_models import FOLDERS, needs_firefox_models

pytestmark = needs_firefox_models

TEXT = "Did you read the letter?\n\nYes, I did.\n\nIt is late.\n"
ALONE = "Você leu a carta?\n\nSim, eu fiz.\n\nÉ tarde.\n"
IN_CONTEXT = "Você leu a carta?\n\nSim, eu li.\n\nÉ tarde.\n"


@pytest.fixture(scope="module")
def run_of(tmp_path_factory):
    """The model, compiled as `docmt models get` leaves it."""
    run = import_marian(FOLDERS["enpt"], tmp_path_factory.mktemp("firefox") / "en-pt").directory
    assert install_compiled(run)
    return run


@pytest.fixture
def translate(run_of, tmp_path):
    """Translates a text in context. Returns the translation and the notes."""

    def translated(text=TEXT, *options, name="a.txt", context="bundled:en-pt", command="translate"):
        (tmp_path / name).write_text(text)
        words = [command, "--run", run_of, "--context", context, *options, tmp_path / name]
        words += [] if "-o" in options else ["-o", "-"]
        result = CliRunner().invoke(main, list(map(str, words)))
        assert result.exit_code == 0, result.output
        return result.stdout, " ".join(result.stderr.split())

    return translated


def test_a_sentence_is_right_because_of_the_sentence_before_it(translate):
    assert translate(context="off") == (ALONE, translate(context="auto")[1])
    made, notes = translate()
    assert made == IN_CONTEXT
    assert "the sentences before decided 1 sentence (" in notes
    assert "a.txt, sentence 2 by sentence 1)" in notes


def test_nothing_changes_where_the_adapter_is_not_installed(translate):
    assert translate(context="auto")[0] == ALONE


@pytest.mark.slow
def test_another_sentence_before_it_gives_another_verb(translate):
    assert translate("Can you trust her?\n\nOf course I do.\n")[0].endswith(
        "\n\nClaro que eu confio.\n"
    )
    assert translate("Yes, I did.\n")[0] == "Sim, eu fiz.\n"


def test_lines_of_json_name_the_sentence_that_decides(translate):
    made, _ = translate(TEXT, "--output-format", "jsonl")
    (choice,) = json.loads(made)["contexts"]
    assert choice == {"sentence": 1, "by": "Did you read the letter?", "alone": "Sim, eu fiz."}


@pytest.mark.parametrize("name", ["a.html", pytest.param("a.xlf", marks=pytest.mark.slow)])
def test_reviews_name_the_sentence_that_decides(translate, tmp_path, name):
    translate(TEXT, "-o", tmp_path / name, command="review")
    shown = (tmp_path / name).read_text("utf-8").replace("&#34;", '"').replace("&quot;", '"')
    note = 'the sentences before decide, most of all "Did you read the letter?"; alone: Sim, eu'
    assert note in shown


def test_codes_stay_where_they_belong(translate):
    page = "<p>Did you read the <i>letter</i>?</p>\n<p>Yes, <b>I did</b>.</p>\n"
    made, _ = translate(page, name="a.html")
    assert "<p>Sim, <b>eu li</b>.</p>" in made


@pytest.mark.slow
def test_a_term_of_a_glossary_is_kept(translate, tmp_path):
    glossary = tmp_path / "terms.tsv"
    glossary.write_text("Peter\tPedrinho\n")
    made, _ = translate(f"{TEXT}\nPeter did.\n", "--glossary", glossary)
    assert made.startswith(IN_CONTEXT.strip())
    assert made.split("\n\n")[-1].startswith("Pedrinho ")


@pytest.mark.slow
def test_the_translation_of_a_person_is_kept(translate, tmp_path):
    with TranslationMemory(tmp_path / "m.db", ("en", "pt"), create=True) as memory:
        memory.add([Unit("Yes, I did.", "Li, sim.")])
    made, _ = translate(TEXT, "--memory", tmp_path / "m.db")
    assert made.split("\n\n")[1] == "Li, sim."
