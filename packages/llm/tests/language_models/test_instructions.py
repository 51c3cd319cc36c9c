"""Instructions, a form of address and descriptions of sentences, as fields of a request."""

from __future__ import annotations

from dataclasses import replace

import pytest
from typer.testing import CliRunner

import docmt_nmt
from docmt.cli import main
from docmt.translating.pivot import Pivot
from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.runs.run import Run
from language_models.scripted_server import serving, translating
from language_models.stories import STORY, target, translator
from scripted_model import ScriptedModel, data_of, translate


def noted(documents, note="", **how):
    """A request with a note on the first sentence."""
    return docmt_nmt.TranslationRequest(documents, **how).with_sentences(
        lambda index, sentence: replace(sentence, note=note if index == (0, 0) else "")
    )


def systems_of(model):
    return [request.messages[0].content for request in model.requests]


@pytest.mark.parametrize("shape", ["sentence", "batch"])
def test_instructions_stand_outside_of_the_text(shape):
    model = ScriptedModel()
    request = noted(
        [STORY],
        "Title of a book",
        instructions='For "children".\nShort sentences.',
        formality="less",
    )
    (translation,) = translator(model, shape=shape).translate(request)
    assert target(translation) == tuple(map(translate, STORY.source))
    for system in systems_of(model):
        assert r"For \"children\".\nShort sentences." in system
        assert "Address the reader informally wherever German" in system
    described = data_of(model.requests[0])["description"]
    assert described == ("Title of a book" if shape == "sentence" else {"s1": "Title of a book"})
    assert all("Title" not in str(data_of(request).get("before")) for request in model.requests)


def test_without_instructions_nothing_is_said_of_them():
    model = ScriptedModel()
    translator(model).translate([STORY])
    assert not any("Address the reader" in s or "gives these" in s for s in systems_of(model))


def test_other_instructions_are_another_translation_to_a_journal():
    made = translator(ScriptedModel())
    requests = [
        noted([STORY]),
        noted([STORY], instructions="Be brief."),
        noted([STORY], formality="more"),
        noted([STORY], "a"),
    ]
    digests = {made.fingerprint(request) for request in requests}
    assert len(digests) == 4


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"instructions": "Be brief."}, "`instructions`"),
        ({"formality": "more"}, "`formality`"),
        ({"note": "a"}, "`description`"),
    ],
)
def test_translators_that_cannot_follow_refuse_by_name(asked, name, tmp_path):
    request = noted([docmt_nmt.Document("d", ("Open it.",))], **asked)
    (tmp_path / "sentence.j2").write_text("{% block user %}{{ data | json }}{% endblock %}")
    of_template = translator(ScriptedModel(), prompts=str(tmp_path))
    between = translator(ScriptedModel()).between
    pivot = Pivot(between("en", "de"), _from_german())
    for cannot in (docmt_nmt.load(), of_template, pivot):
        with pytest.raises(InputError, match=f"cannot follow {name}"):
            cannot.plan(request)


def _from_german():
    from docmt_llm.language_model.language_model import LanguageModelTranslator

    return LanguageModelTranslator.of(ScriptedModel(), ("de", "fr"))


def test_long_instructions_are_refused():
    with pytest.raises(InputError, match=r"have 5,000 characters. Shorten them to 4,000"):
        docmt_nmt.TranslationRequest([STORY], instructions="x" * 5000)


def test_the_command_takes_instructions_from_a_file(tmp_path):
    (tmp_path / "style.txt").write_text("For engineers.\nNo jokes.\n")
    (tmp_path / "a.txt").write_text("The harbour lies behind the hill.\n")
    options = ["--instructions", f"@{tmp_path}/style.txt", "--formality", "more"]
    with serving(translating) as server:
        keys = [f"system.url={server.url}", "request.retries=1"]
        run = Run.make(tmp_path / "run", recipes.load_any("language-model", keys)).directory
        arguments = ["translate", "--run", str(run), str(tmp_path / "a.txt"), *options]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        system = server.bodies[0]["messages"][0]["content"]
    assert r"For engineers.\nNo jokes." in system and "formally wherever German" in system
    arguments = ["translate", "--run", "bundled:en-de", str(tmp_path / "a.txt"), *options]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "this translator cannot follow --instructions and --formality" in result.output
