"""Models that are made for translating: their prompts, languages and roles."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import docmt_nmt
from docmt.cli import main
from docmt_files.base.errors import InputError
from docmt_llm.endpoints.endpoint_runs import import_endpoint
from docmt_llm.endpoints.profiles import profile_named, profile_of, profiles
from docmt_llm.prompting.prompts import prompt_language, render
from docmt_nmt.runs.open_run import load
from docmt_nmt.translators.glossary import Glossary, Term
from language_models.scripted_server import Reply, chat, failure, serving
from scripted_model import translate

STORY = docmt_nmt.Document("d", ("Good morning.", "", "The ship came in.", 'He said "no" to her.'))

HUNYUAN_ENGLISH = "Translate the following segment into {}, without additional explanation.\n\n"


def serving_model(name, answer):
    """A server of one model that answers chats by a function of the body."""

    def script(received):
        if received.path == "/v1/models":
            return Reply({"object": "list", "data": [{"id": name, "owned_by": "vllm"}]})
        return answer(received.body) if received.path == "/v1/chat/completions" else Reply(b"", 404)

    return serving(script)


def translategemma(body):
    """Enforces the chat template of TranslateGemma's model card: turns of user and assistant, and
    content that is a list of one text with two codes."""
    messages = body["messages"]
    for message, role in zip(messages, ["user", "assistant"] * len(messages), strict=False):
        if message["role"] != role:
            return failure(500, "Conversation roles must alternate user/assistant")
    for message in messages[::2]:
        content = message["content"]
        if not isinstance(content, list) or len(content) != 1:
            return failure(500, "User content must be a list with exactly one entry")
        if content[0].keys() != {"type", "source_lang_code", "target_lang_code", "text"}:
            return failure(500, "The entry lacks language codes")
        if content[0]["type"] != "text" or content[0]["target_lang_code"] == "zh":
            return failure(500, "Unknown type or language")
    return chat(translate(messages[-1]["content"][0]["text"]))


def test_translategemma_is_imported_and_translates_between_its_languages(tmp_path):
    notes = []
    with serving_model("google/translategemma-4b-it", translategemma) as server:
        run = import_endpoint(
            server.url, "google/translategemma-4b-it", tmp_path / "run", note=notes.append
        )
        translator = load(run.directory)
        (translation,) = translator.translate([STORY])
        translator.between("ja", "zh").translate([docmt_nmt.Document("e", ("A file.",))])
        bodies = server.bodies[1:]
    assert translation.document.target == tuple(map(translate, STORY.source))
    assert translation.warnings == ()
    assert run.recipe.system.profile == "TranslateGemma"
    assert len(translator.language_set.targets) == 54
    first, last = (body["messages"][0]["content"][0] for body in (bodies[1], bodies[-1]))
    assert (first["source_lang_code"], first["target_lang_code"]) == ("en", "de")
    assert (last["source_lang_code"], last["target_lang_code"]) == ("ja", "zh-Hans")
    assert all("response_format" not in body for body in bodies)
    assert "license Gemma Terms of Use" in " ".join(notes)
    with pytest.raises(InputError, match="does not translate into 'la'"):
        translator.between("en", "la")


def test_the_languages_of_qwen_mt_are_options_of_a_request(tmp_path):
    def qwen(body):
        options = body.get("translation_options")
        if len(body["messages"]) != 1 or options != {
            "source_lang": "English",
            "target_lang": "German",
        }:
            return failure(400, "translation_options")
        return chat(translate(body["messages"][0]["content"]))

    with serving_model("qwen-mt-plus", qwen) as server:
        run = import_endpoint(server.url, "qwen-mt-plus", tmp_path / "run")
        (translation,) = load(run.directory).translate([STORY])
    assert translation.document.target == tuple(map(translate, STORY.source))


def test_hunyuan_is_told_the_terms_of_a_sentence(tmp_path):
    asked = []

    def hunyuan(body):
        (message,) = body["messages"]
        assert message["role"] == "user"
        asked.append(message["content"])
        return chat(f"Das {message['content'].rpartition(chr(10))[2]} Boot")

    glossary = Glossary([Term(("ship",), ("Boot",))])
    with serving_model("tencent/HY-MT1.5-7B", hunyuan) as server:
        run = import_endpoint(server.url, "tencent/HY-MT1.5-7B", tmp_path / "run")
        request = docmt_nmt.TranslationRequest([STORY], glossary=glossary)
        load(run.directory).translate(request)
    (with_term,) = [text for text in asked if "ship" in text]
    assert with_term == (
        "参考下面的翻译：\nship 翻译成 Boot\n\n"
        "将以下文本翻译为德语，注意只需要输出翻译后的结果，不要额外解释：\nThe ship came in."
    )
    # Sentences are asked for beside each other, and may come in any order.
    assert f"{HUNYUAN_ENGLISH.format('German')}{STORY.source[-1]}" in asked


@pytest.mark.parametrize(
    ("languages", "prompt"),
    [
        (("en", "de"), HUNYUAN_ENGLISH.format("German")),
        (("zh", "de"), "把下面的文本翻译成德语，不要额外解释。\n\n"),
        (("en", "zh"), "把下面的文本翻译成中文，不要额外解释。\n\n"),
    ],
)
def test_hunyuan_is_asked_in_chinese_about_chinese(languages, prompt):
    shape = profile_named("Hunyuan-MT")
    text = render(
        shape.prompt,
        source="",
        target=prompt_language(languages[1]),
        source_code=languages[0],
        target_code=languages[1],
        target_in_chinese=prompt_language(languages[1], "zh"),
        terms=(),
        text="A.",
    )
    assert text == f"{prompt}A."


def test_an_ordinary_model_has_no_profile():
    assert profile_of("qwen3-8b.gguf") is None
    assert profile_of("facebook/nllb-200-distilled-600M").name == "NLLB"
    with pytest.raises(InputError, match="no profile 'TranslateGema', did you mean"):
        profile_named("TranslateGema")
    assert all(profile.license for profile in profiles().values())


def test_profiles_are_listed():
    listed = CliRunner().invoke(main, ["recipes", "profiles"]).stdout
    assert "TowerInstruct: license CC BY-NC 4.0." in listed
    assert "You are a professional {{ source }}" in listed
