"""Runs of language models behind an endpoint, which is asked what it can do."""

from __future__ import annotations

import os

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.errors import InputError
from docmt_llm.endpoints.endpoint_runs import import_endpoint
from docmt_nmt import recipes
from docmt_nmt.runs.open_run import open_run
from docmt_nmt.runs.run import read_recipe
from language_models.scripted_server import Reply, chat, failure, serving

MISSING = Reply(b"404 page not found", 404)


def server_of(owner, *, answer='{"answer": "yes"}', models=("qwen", "llama"), **more):
    """What a server of some owner answers, by path."""
    entries = [{"id": name, "owned_by": owner, "max_model_len": 5000} for name in models]
    routes = {"/v1/models": Reply({"object": "list", "data": entries}), **more}

    def script(received):
        if received.path in routes:
            reply = routes[received.path]
            return reply(received) if callable(reply) else reply
        return chat(answer) if received.path == "/v1/chat/completions" else MISSING

    return script


@pytest.fixture
def imported(tmp_path):
    """Imports from a scripted server; the notes are in the order in which they were given."""

    def imported(script, url="{}", model="qwen", **options):
        notes = []
        with serving(script) as server:
            run = import_endpoint(
                url.format(server.url), model, tmp_path / "run", note=notes.append, **options
            )
        return server, run, "\n".join(notes)

    return imported


def test_the_run_names_the_model_and_translates_from_and_into_the_languages(imported):
    server, run, notes = imported(server_of("openai"), languages=("fr", "ja"))
    assert open_run(run.directory) == run
    system = run.recipe.system
    assert (system.url, system.model, system.dialect) == (server.url, "qwen", "openai")
    assert (run.recipe.data.source_language, run.recipe.data.target_language) == ("fr", "ja")
    assert sorted(path.name for path in run.directory.iterdir()) == ["format.json", "recipe.yaml"]
    assert "speaks the dialect openai" in notes
    assert "Answers meet a schema." in notes
    assert "It does not give log-probabilities" in notes


def test_the_url_without_version_is_completed(tmp_path):
    with serving(server_of("openai")) as server:
        for number, url in enumerate([f"http://{server.host}", f"http://{server.host}/"]):
            run = import_endpoint(url, "qwen", tmp_path / str(number))
            assert run.recipe.system.url == server.url


@pytest.mark.parametrize(
    ("owner", "dialect"),
    [("vllm", "vllm"), ("llamacpp", "llama.cpp"), ("me", "llama.cpp"), ("system", "openai")],
)
def test_the_dialect_is_known_by_the_owner_of_the_models(imported, owner, dialect):
    _, run, _ = imported(server_of(owner))
    assert run.recipe.system.dialect == dialect


def test_the_dialect_can_be_given(imported):
    _, run, _ = imported(server_of("vllm"), dialect="openai")
    assert run.recipe.system.dialect == "openai"


def test_ollama_is_asked_for_a_context_that_is_large_enough(imported):
    shown = Reply({"model_info": {"general.architecture": "q", "q.context_length": 40960}})
    answered = Reply({"message": {"content": '{"answer": "yes"}'}, "done_reason": "stop"})
    script = server_of("library", **{"/api/show": shown, "/api/chat": answered})
    server, run, notes = imported(script)
    assert run.recipe.system.dialect == "ollama"
    assert run.recipe.system.max_context_tokens == 8192
    assert "Its context has 40,960 tokens." in notes
    assert "/api/chat" in [received.path for received in server.requests]


@pytest.mark.parametrize(
    ("owner", "more", "size"),
    [
        ("vllm", {}, "5,000"),
        ("llamacpp", {"/props": Reply({"default_generation_settings": {"n_ctx": 512}})}, "512"),
    ],
)
def test_the_size_of_the_context_is_said_where_it_is_known(imported, owner, more, size):
    assert f"Its context has {size} tokens." in imported(server_of(owner, **more))[2]


def test_log_probabilities_are_tried(imported):
    def tokenize(received):
        ids = [1, 2, 3]
        if received.body["messages"][-1]["role"] == "assistant":
            ids = [*ids, 4] if received.body["continue_final_message"] else [*ids, 4, 5]
        return Reply({"tokens": ids})

    entries = [None, *({str(token): {"logprob": -0.5, "decoded_token": "x"}} for token in "2345")]
    completion = Reply({"choices": [{"prompt_logprobs": entries}]})
    more = {"/tokenize": tokenize, "/v1/completions": completion}
    assert "It gives log-probabilities of given text" in imported(server_of("vllm", **more))[2]


def test_a_dialect_among_the_keys_is_taken(imported):
    _, run, _ = imported(server_of("vllm"), overrides=["system.dialect=openai"])
    assert run.recipe.system.dialect == "openai"


def test_where_a_schema_is_refused_no_command_tries_it_again(imported):
    def chats(received):
        if "response_format" in received.body:
            return failure(400, "response_format is not supported")
        return chat("yes")

    _, run, notes = imported(server_of("openai", **{"/v1/chat/completions": chats}))
    assert run.recipe.request.structured == "none"
    assert "No schema is sent" in notes


def test_a_schema_that_is_taken_and_not_met_is_said(imported):
    _, run, notes = imported(server_of("openai", answer="Yes, of course!"))
    assert run.recipe.request.structured == "auto"
    assert "its answer does not meet it" in notes


def test_the_recipe_gives_the_corpus_and_overrides_the_rest(imported):
    _, run, _ = imported(
        server_of("openai"), recipe="demo-sentence", overrides=["request.shape=batch"]
    )
    assert run.recipe.data == recipes.load("demo-sentence").data
    assert run.recipe.request.shape == "batch"


def test_an_endpoint_that_lists_no_models_is_asked_all_the_same(imported):
    _, run, _ = imported(server_of("openai", **{"/v1/models": MISSING}), model="any")
    assert run.recipe.system.model == "any"


@pytest.mark.parametrize(
    ("script", "model", "message"),
    [
        (server_of("openai"), "qven", "has no model 'qven'. Did you mean 'qwen'? It has qwen, "),
        (server_of("openai"), "x", "has no model 'x'. It has qwen, llama"),
        (lambda _: failure(401, "No key"), "qwen", "asks for a key"),
        (lambda _: Reply(b"<html>Hello</html>"), "qwen", "with a web page"),
        (lambda _: MISSING, "qwen", "has no chats at"),
        (server_of("openai", models=("qwen",), **{"/v1/chat/completions": failure(500, "Bang")}),
         "qwen", "does not answer: HTTP status 500 (Bang)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_and_leaves_no_run(tmp_path, script, model, message):
    with serving(script) as server, pytest.raises(InputError) as caught:
        import_endpoint(server.url, model, tmp_path / "run")
    assert message in str(caught.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8080", "ftp://a.test", "http://", "http://a:b@c.test/v1", "http://a.test/?k=secret",
     "http://a.test/#secret", "http://[::1/v1", "http://a b/", ""],
)  # fmt: skip
def test_a_url_that_is_wrong_or_holds_a_secret_is_refused_without_showing_it(tmp_path, url):
    with pytest.raises(InputError, match="the URL") as caught:
        import_endpoint(url, "qwen", tmp_path / "run")
    assert "secret" not in str(caught.value) and "a:b" not in str(caught.value)


def test_a_run_is_not_written_over_and_nothing_is_asked_for_it(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "file").touch()
    with serving(server_of("openai")) as server, pytest.raises(InputError, match="is not empty"):
        import_endpoint(server.url, "qwen", tmp_path / "run")
    assert not server.requests


def test_the_key_is_sent_and_stands_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_API_KEY", "sk-very-secret")
    run = tmp_path / "run"
    with serving(server_of("openai")) as server:
        command = ["import", "language-model", server.url, "--model", "qwen", "--run", str(run)]
        result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    assert {r.headers["authorization"] for r in server.requests} == {"Bearer sk-very-secret"}
    assert f"docmt translate --run {run} INPUT" in result.stdout
    written = [path.read_text() for path in run.rglob("*") if path.is_file()]
    assert written and not any("secret" in text for text in [*written, result.output])


def test_the_command_takes_a_recipe_and_keys(tmp_path):
    run = tmp_path / "run"
    with serving(server_of("vllm")) as server:
        command = [
            *("import", "language-model", server.url, "request.shape=batch", "--model", "qwen"),
            *("--recipe", "demo-language-model", "--dialect", "vllm", "--run", os.fspath(run)),
        ]
        result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    recipe = read_recipe(run)
    assert (recipe.request.shape, recipe.data.test.source) == ("batch", "bundled:test.en.xz")
