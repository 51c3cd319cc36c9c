"""`docmt translate` and others with a language model behind a scripted server."""

from __future__ import annotations

import json
import os
import signal
import threading
import zipfile

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_nmt import recipes
from docmt_nmt.runs.run import Run
from killed_commands import run_command_into
from killing import begin
from language_models.scripted_server import Reply, chat, failure, serving, translating
from scripted_model import translate as translated

SOURCE = "The harbour lies behind the hill.\nNobody knew who had built it.\nA ship came in.\n"
TARGET = "".join(translated(line) for line in SOURCE.splitlines(keepends=True))


@pytest.fixture
def letter(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def made(tmp_path):
    """Makes the run of an endpoint."""

    def made(server, *overrides, name="run"):
        keys = [f"system.url={server.url}", "request.retries=2", "request.timeout=5", *overrides]
        recipe = recipes.load_any("language-model", keys)
        return Run.make(tmp_path / name, recipe).directory

    return made


def docmt(*arguments, code=0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def unquoted(text):
    return flat(text).replace("`", "")


def flat(text):
    return " ".join(text.split())


def test_one_run_translates_a_file_into_several_languages(made, letter, tmp_path):
    (tmp_path / "terms.fr.tsv").write_text("ship\tnavire\n")
    (tmp_path / "terms.ja.tsv").write_text("ship\t船\n")
    with serving(translating) as server:
        run = made(server, "system.languages=[en, fr, ja]")
        told = docmt(
            "translate", "--run", run, "--from", "en", "--to", "fr,ja", letter,
            "-o", tmp_path / "letter.{to}.txt", "--glossary", tmp_path / "terms.{to}.tsv",
        ).stderr  # fmt: skip
        asked = [request.body["messages"] for request in server.requests]
    assert "docmt: translating into French (fr)" in told and "into Japanese (ja)" in told
    assert [(tmp_path / f"letter.{to}.txt").read_text() for to in ("fr", "ja")] == [TARGET, TARGET]
    into = [messages[0]["content"].partition(",")[0] for messages in asked]
    assert {each.rpartition(" ")[2] for each in into} == {"French", "Japanese"}
    into_of_term = {m[0]["content"].partition(",")[0] for m in asked if "navire" in str(m)}
    assert [each.rpartition(" ")[2] for each in into_of_term] == ["French"]
    wrong = ("translate", "--run", run, "--from", "en", "--to", "fr,ru", letter, "-o", "{to}")
    told = docmt(*wrong, code=2).output
    assert "does not translate into 'ru'. Choose one of --to: en, de, fr, ja" in told


def test_a_run_is_evaluated_on_any_of_its_pairs(made, letter, tmp_path):
    reference = tmp_path / "letter.fr"
    reference.write_text(TARGET)
    texts = ("--source", letter, "--reference", reference, "--json")
    with serving(translating) as server:
        run = made(server, "system.languages=[en, fr]")
        told = docmt("evaluate", "--run", run, "--from", "en", "--to", "fr", *texts)
        (score, *_) = json.loads(told.stdout)["scores"]
        systems = [body["messages"][0]["content"] for body in server.bodies]
    assert round(score["score"], 6) == 100 and all(
        "English into French" in system for system in systems
    )
    told = docmt("evaluate", "--run", run, "--to", "ja", *texts, code=2).output
    assert "does not translate into 'ja'. Choose one of --to: en, de, fr" in told
    told = docmt("evaluate", "--to", "fr", "--hypothesis", letter, *texts, code=2).output
    assert "--to needs --run, --source and --reference" in flat(told)


def test_a_file_is_translated_and_its_cost_is_said(made, letter):
    with serving(translating) as server:
        prices = ("budget.input_price=1000", "budget.output_price=0")
        result = docmt("translate", "--run", made(server, *prices), letter)
    assert result.stdout == TARGET
    assert len(server.requests) == 3
    costs = flat(result.stderr)
    assert "docmt: 3 requests, 60 prompt tokens (24 cached), " in costs
    assert "0.0600 USD" in costs


def test_nothing_that_was_answered_is_asked_again(made, letter, tmp_path):
    with serving(translating) as server:
        run = made(server)
        docmt("translate", "--run", run, letter)
        again = docmt("translate", "--run", run, letter)
        assert len(server.requests) == 3
        letter.write_text(SOURCE + "Its captain asked for water.\n")
        changed = docmt("translate", "--run", run, letter)
    assert again.stdout == TARGET
    assert "0 requests, 3 answers known from before" in flat(again.stderr)
    # What stands after a sentence is read, so that two before the new one are asked for again.
    assert changed.stdout.startswith(TARGET)
    assert len(server.requests) == 3 + 3


def test_answers_are_not_kept_where_the_recipe_says_so(made, letter):
    with serving(translating) as server:
        run = made(server, "request.keep_answers=false")
        for _ in range(2):
            docmt("translate", "--run", run, letter)
    assert len(server.requests) == 6
    assert not (run / "answers.jsonl").exists()


def test_a_dry_run_says_about_what_it_takes_and_sends_and_writes_nothing(made, letter, tmp_path):
    with serving(translating) as server:
        run = made(server, "budget.input_price=1", "budget.output_price=1")
        before = sorted(tmp_path.rglob("*"))
        result = docmt("translate", "--run", run, letter, "-o", tmp_path / "out.txt", "--dry-run")
        assert (server.requests, result.stdout) == ([], "")
        assert sorted(tmp_path.rglob("*")) == before
        said = flat(result.stderr)
        assert "nothing was sent; translating takes 3 requests, about " in said
        assert " USD" in said
        docmt("translate", "--run", run, letter)
        sent = sum(len(m["content"]) for body in server.bodies for m in body["messages"])
        estimated = int(said.split("requests, about ")[1].split(" ")[0].replace(",", ""))
        assert estimated == pytest.approx(sent / 4, rel=0.1)
        known = docmt("translate", "--run", run, letter, "--dry-run")
    assert "takes 0 requests, 3 answers known from before" in flat(known.stderr)


def test_a_dry_run_leaves_out_what_a_memory_has(made, letter, tmp_path):
    first = letter.read_text().split(".")[0] + "."
    (tmp_path / "m.tsv").write_text(f"a\t{first}\tEins.\n")
    with serving(translating) as server:
        command = ["translate", "--run", made(server), letter, "--dry-run"]
        result = docmt(*command, "--memory", tmp_path / "m.tsv")
    assert "exact\t1\t" in result.stdout
    assert "takes 2 requests" in flat(result.stderr)


def test_a_dry_run_of_a_folder_counts_all_files(made, letter, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"Document {number} is short.\n")
    (folder / "empty.txt").touch()
    with serving(translating) as server:
        command = ["translate", "--run", made(server), folder, "-o", tmp_path / "out", "--dry-run"]
        result = docmt(*command)
    assert "takes 3 requests" in flat(result.stderr)
    assert not (tmp_path / "out").exists()


def test_a_dry_run_and_a_budget_are_refused_for_a_run_that_costs_nothing(letter):
    own = ["translate", "--run", "bundled:en-de", letter]
    refused = docmt(*own, "--dry-run", code=2)
    assert "--dry-run says what a language model would cost" in unquoted(refused.stderr)
    refused = docmt(*own, "--max-tokens-total", 5, code=2)
    assert "--max-tokens-total has no effect with" in unquoted(refused.stderr)


def test_a_budget_stops_a_command_which_goes_on_from_there(made, letter, tmp_path):
    """Each request takes 20 tokens and more."""
    output = tmp_path / "out.txt"
    with serving(translating) as server:
        command = ["translate", "--run", made(server), letter, "-o", output]
        stopped = docmt(*command, "--max-tokens-total", 30, code=2)
        assert "no more than 30 may be" in flat(stopped.stderr)
        assert not output.exists()
        asked = len(server.requests)
        assert 0 < asked < 3
        docmt(*command)
    assert output.read_text() == TARGET
    assert len(server.requests) == 3


def test_a_budget_ends_a_folder_without_trying_the_other_files(made, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.txt").write_text(f"Document {number} is short.\n")
    with serving(translating) as server:
        command = ["translate", "--run", made(server), folder, "-o", tmp_path / "out"]
        stopped = docmt(*command, "--max-tokens-total", 30, code=2)
        assert "the same command goes on from there" in stopped.stderr
        # Requests are sent four at a time, over all files; what has come is kept.
        assert len(server.requests) == 4
        docmt(*command)
    assert len(server.requests) == 5
    assert (tmp_path / "out" / "4.txt").read_text() == translated("Document 4 is short.\n")


@pytest.mark.parametrize(
    "option",
    [("--beam-size", 4), ("--windows", "sliding"), ("--sampling",), ("--precision", "int8")],
)
def test_options_of_search_are_refused(made, letter, option):
    with serving(translating) as server:
        result = docmt("translate", "--run", made(server), letter, *option, code=2)
    assert f"{option[0]} has no effect with" in unquoted(result.stderr)
    assert not server.requests


def test_temperature_and_seed_are_those_of_requests(made, letter):
    with serving(translating) as server:
        docmt("translate", "--run", made(server), letter, "--temperature", 0.5, "--seed", 7)
    assert {(body["temperature"], body["seed"]) for body in server.bodies} == {(0.5, 7)}


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (lambda _: failure(401, "Bad key sk-secret"), "refuses the key"),
        (lambda _: failure(404, "The model `default` does not exist"), "has no model"),
        (lambda _: Reply(b"<h1>Hello</h1>"), "with a web page"),
        (lambda _: failure(429, "Quota", "insufficient_quota"), "takes no more requests"),
        (lambda _: chat(None), None),
    ],
)
def test_what_is_wrong_is_said_without_the_key(
    made, letter, tmp_path, monkeypatch, script, message
):
    monkeypatch.setenv("DOCMT_API_KEY", "sk-secret")
    output = tmp_path / "out.txt"
    with serving(script) as server:
        run = made(server)
        code = 0 if message is None else 2
        result = docmt("translate", "--run", run, letter, "-o", output, code=code)
    assert (message or "left as in the source") in flat(result.stderr)
    assert output.exists() == (message is None)
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"sk-secret" in content for content in [result.output.encode(), *kept])


def test_a_hundred_empty_answers_in_a_row_leave_a_hundred_marked_sentences(made, tmp_path):
    source = tmp_path / "long.txt"
    source.write_text("".join(f"Sentence number {number} is here.\n" for number in range(100)))
    with serving([chat("")]) as server:
        result = docmt("translate", "--run", made(server), source, "--strict", code=3)
    assert result.stdout == source.read_text()
    assert "100 suspicious sentences" in result.stderr
    assert "100 sentences left as in the source" in flat(result.stderr)


def test_a_request_that_is_too_long_is_made_shorter(made, letter):
    def script(received):
        size = len(received.body["messages"][-1]["content"])
        if size > 200:
            return failure(400, "This model's maximum context length is 50 tokens")
        return translating(received)

    with serving(script) as server:
        result = docmt("translate", "--run", made(server), letter)
    assert result.stdout == TARGET
    assert "with less context" in flat(result.stderr)


def test_a_server_that_goes_in_the_middle_keeps_what_it_answered(made, letter, tmp_path):
    output = tmp_path / "out.txt"
    replies = iter([True, True])

    def script(received):
        return translating(received) if next(replies, False) else Reply(cut=0)

    with serving(script) as server:
        run = made(server, "request.retries=0")
        result = docmt("translate", "--run", run, letter, "-o", output, code=2)
        assert "does not answer" in result.stderr and "goes on from there" in flat(result.stderr)
        server.script = translating
        done = len(server.requests)
        docmt("translate", "--run", run, letter, "-o", output)
        assert len(server.requests) - done == 1
    assert output.read_text() == TARGET


def test_a_word_file_keeps_its_form(made, tmp_path):
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading("The harbour", 1)
    paragraph = document.add_paragraph("Nobody knew ")
    paragraph.add_run("who").bold = True
    paragraph.add_run(" had built it.")
    source, output = tmp_path / "a.docx", tmp_path / "b.docx"
    document.save(str(source))
    with serving(translating) as server:
        docmt("translate", "--run", made(server), source, "-o", output)
    assert zipfile.is_zipfile(output)
    texts = [paragraph.text for paragraph in docx.Document(str(output)).paragraphs]
    assert texts == [translated("The harbour"), translated("Nobody knew who had built it.")]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_command_that_ends_in_the_middle_sends_no_answered_request_again(
    forkserver, made, tmp_path, how
):
    source = tmp_path / "long.txt"
    source.write_text("".join(f"Sentence number {number} is here.\n" for number in range(40)))
    answered: set[str] = set()
    enough = threading.Event()

    def script(received):
        content = json.dumps(received.body, sort_keys=True)
        assert content not in answered, "an answered request was sent again"
        if len(answered) < 15:
            answered.add(content)
        elif not enough.is_set():
            enough.set()
            return Reply(stall=0.5, cut=0)
        return translating(received)

    with serving(script) as server:
        run = made(server, "request.concurrency=1")
        output = tmp_path / "out.txt"
        command = ["translate", "--run", str(run), str(source), "-o", str(output)]
        process = begin(forkserver, run_command_into, tmp_path / "errors", *command)
        assert enough.wait(60)
        os.kill(process.pid, how)
        process.join(60)
        errors = (tmp_path / "errors").read_text()
        assert process.exitcode == (-how if how == signal.SIGKILL else 130), errors
        assert not output.exists()
        if how == signal.SIGINT:
            assert "Traceback" not in errors
            assert "docmt: 15 requests" in errors and "docmt: interrupted" in errors
            assert "the same command goes on from there" in errors
        docmt("translate", "--run", run, source, "-o", output)
        assert len(server.requests) == 15 + 1 + 25
    assert output.read_text() == translated(source.read_text())


def test_the_scores_of_a_split_are_those_of_its_translation(made, tmp_path):
    lines = "<d>\nOne ship came.\nIt left.\n<d>\nNobody knew.\n"
    (tmp_path / "test.en").write_text(lines)
    (tmp_path / "test.de").write_text(translated(lines.replace("<d>", "#")).replace("#", "<d>"))
    with serving(translating) as server:
        corpus = f"data.test={{source: {tmp_path}/test.en, target: {tmp_path}/test.de}}"
        run = made(server, corpus, "evaluation.metrics=[s-bleu]")
        command = ["evaluate", "--run", run, "--split", "test", "--json"]
        result = docmt(*command)
        assert json.loads(result.stdout)["scores"][0]["score"] == pytest.approx(100)
        assert "3 requests" in result.stderr
        refused = docmt(*command, "--oracle", code=2)
        docmt(*command)
    assert "no effect" in refused.stderr
    assert len(server.requests) == 3
    assert [path.name for path in (run / "evaluation").iterdir()] == ["test"]


def test_what_needs_weights_refuses_the_run(made, tmp_path):
    with serving(translating) as server:
        run = made(server)
    for command in (
        ["export", "--run", run, "-o", tmp_path / "exported"],
        ["train", run / "recipe.yaml", "--run", tmp_path / "trained"],
    ):
        result = docmt(*command, code=2)
        assert "language-model" in flat(result.stderr), command
    assert not server.requests


def test_recipes_show_and_explain_language_models():
    shown = docmt("recipes", "show", "language-model", "request.shape=batch").stdout
    assert "  shape: batch" in shown and "system:" in shown
    keys = docmt("recipes", "keys", "language-model").stdout
    assert "budget.max_tokens_total: integer ≥ 1 or null" in keys
    assert "training." not in keys
