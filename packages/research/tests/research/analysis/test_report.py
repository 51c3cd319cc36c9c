"""The report: what it gathers, what it keeps, and the page as a browser shows it."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train
from docmt_research.analysis.categories import Categories
from docmt_research.analysis.contrastive_evaluation import contrast
from docmt_research.analysis.contrastive_suites import detokenized, read_suite
from docmt_research.analysis.run_stages import run_stages
from docmt_research.analysis.training_curves import read_curves
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder
from docmt_research.report import charts
from docmt_research.report import sentence_buckets as buckets
from docmt_research.report.collect import run_names
from docmt_research.report.differences import compared, marked
from docmt_research.report.run_card import run_data
from docmt_research.report.run_summaries import summary
from docmt_research.report.split_translations import read_named
from toy import toy_recipe


def run_report(*arguments: object):
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


@pytest.fixture(scope="module")
def suite_file(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("suite") / "pronouns.jsonl"
    case = {
        "source": ["the dog runs", "it runs"],
        "context": ["das Hund rennt"],
        "candidates": ["er rennt", "sie rennt"],
        "phenomenon": "<b>er</b>",
    }
    file.write_text(json.dumps(case) + "\n")
    return file


@pytest.fixture(scope="module")
def folder(sentence_run, pronoun_run, suite_file, tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("report") / "report"
    runs = sentence_run.directory, pronoun_run.directory
    result = run_report(
        *runs,
        "-o",
        made,
        "--suite",
        suite_file,
        "--cxmi",
        1,
        "--attention",
        1,
        "--table",
        made / "table.tex",
    )
    assert result.exit_code == 0, result.output
    return made


class _Links(HTMLParser):
    """What a page would load, and how its elements nest."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.open: list[str] = []

    def handle_startendtag(self, tag, attrs):
        """Nothing is in it."""

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        self.loads += [
            value
            for name, value in names.items()
            if name in ("src", "href") and not value.startswith(("#", "data:image/png"))
        ]
        if tag not in ("meta", "input", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_loads_nothing_and_its_elements_are_closed(folder):
    page = (folder / "index.html").read_text()
    parser = _Links()
    parser.feed(page)
    assert parser.loads == []
    assert parser.open == []
    assert "default-src 'none'" in page


def test_text_is_never_markup(folder):
    page = (folder / "index.html").read_text()
    assert "<b>er</b>" not in page
    assert "&lt;b&gt;er&lt;/b&gt;" in page or "er rennt" in page


def test_scores_are_those_of_the_kept_translations(folder, pronouns, pronoun_run):
    state = json.loads((folder / "data" / "results.json").read_text())
    references = list(corpora.read(pronouns / "test.en", pronouns / "test.de"))
    names = {score["system"] for score in state["systems"]}
    assert len(names) == 2
    for name in names:
        kept = list(corpora.read(folder / "data" / f"{name.replace('/', '_')}.test.jsonl"))
        for score in evaluate(
            kept, references, MetricSettings(metrics=["s-bleu", "d-bleu", "s-chrf"])
        ):
            (found,) = [
                s for s in state["systems"] if s["system"] == name and s["name"] == score.name
            ]
            assert found["mean"] == pytest.approx(score.score)
    page = (folder / "index.html").read_text()
    assert all(f"{score['mean']:.2f}" in page for score in state["systems"])
    assert state["comparisons"][0]["p"] is not None
    assert list(state["context"].values())[1][0]["bits_per_sentence"] > 0.5


def notes_in(values) -> list[str]:
    """All notes in results, wherever they are."""
    if isinstance(values, list):
        return [note for value in values for note in notes_in(value)]
    if not isinstance(values, dict):
        return []
    return [*values.get("notes", ()), *notes_in([v for k, v in values.items() if k != "notes"])]


def test_the_page_has_every_note(folder, sentence_run, pronoun_run, tmp_path):
    page = " ".join(unescape((folder / "index.html").read_text()).split())
    notes = notes_in(json.loads((folder / "data" / "results.json").read_text()))
    # Of scores, comparisons, suites with one case, and values of context.
    for kind in (
        "only 9 documents to resample",
        "shuffled context is not measurable: no case has other context",
        "the intervals are too narrow",
    ):
        assert any(kind in note for note in notes), kind
    assert all(note in page for note in notes)
    copy = shutil.copytree(folder, tmp_path / "report")
    printed = run_report(sentence_run.directory, pronoun_run.directory, "-o", copy).stderr
    assert "only 9 documents to resample" in " ".join(printed.split())


def test_the_tables_are_written_for_a_paper(folder, sentence_run, pronoun_run):
    tables = [path.read_text() for path in sorted(folder.glob("table*.tex"))]
    titles = [table.splitlines()[0] for table in tables]
    for run in (sentence_run, pronoun_run):
        name = f"{run.directory.parent.name}/{run.directory.name}"
        assert f"% {name}: pronouns.jsonl" in titles
        assert any(name in table.partition(r"\begin{tabular}")[2] for table in tables)
    assert any(title.startswith("% s-BLEU by length") for title in titles)
    assert all(table.endswith("\\end{tabular}\n") for table in tables)
    state = json.loads((folder / "data" / "results.json").read_text())
    signatures = [score["signature"] for score in state["systems"]]
    assert all(one in tables[0].partition(r"\begin")[0] for one in signatures)


def test_suites_are_detokenized(sentence_run, tmp_path, suite_file):
    suite = tmp_path / "tokenized.jsonl"
    suite.write_text(suite_file.read_text().replace("er rennt", "er rennt ."))
    run, made = sentence_run.directory, tmp_path / "report"
    result = run_report(run, "-o", made, "--suite", suite, "--detokenize")
    assert result.exit_code == 0, result.output
    state = json.loads((made / "data" / "results.json").read_text())
    (own,) = state["suites"][0].values()
    read = detokenized(read_suite(suite), ("en", "de"))
    assert read.cases[0].candidates[0] == "er rennt."
    assert own["signature"] == contrast(SystemForcedDecoder.load(run), read).signature


def test_sentences_are_put_into_categories(folder):
    page = (folder / "index.html").read_text()
    state = json.loads((folder / "data" / "results.json").read_text())
    assert "By what the source sentence may need" in page
    assert state["categories"] in page
    by_category = list(state["context_by_category"].values())[1]
    assert {value["context"] for value in by_category} == {1}
    for value in by_category:
        assert value["category"] in page
        assert f"{value['cxmi']:+.3f}" in page


def test_numbers_carry_signatures(folder):
    page = (folder / "index.html").read_text()
    state = json.loads((folder / "data" / "results.json").read_text())
    signatures = {own["signature"] for suite in state["suites"] for own in suite.values()}
    assert signatures and all(f"<code>{one}</code>" in page for one in signatures)
    assert re.search(r"<code>data:[0-9a-f]{8}\|documents:\d+\|alone:same-run\|seed:\d+", page)


def test_attention_is_measured_and_drawn(folder):
    page = (folder / "index.html").read_text()
    state = json.loads((folder / "data" / "results.json").read_text())
    assert page.count("data:image/png") >= 4
    for own in state["attention"].values():
        for entropy in own["entropies"]:
            assert f"{entropy['key']}, bits" in page
            assert f"{entropy['bits']:.3f}" in page


def test_what_was_translated_is_not_translated_again(
    sentence_run, pronoun_run, folder, tmp_path, monkeypatch
):
    copy = shutil.copytree(folder, tmp_path / "report")
    before = (copy / "index.html").read_text()
    (copy / "index.html").unlink()
    suite = re.search(r"<h3>(\S+)</h3>", before)
    assert suite

    def fail(*_, **__):
        raise AssertionError("translated again")

    monkeypatch.setattr(BeamSearchTranslator, "translate", fail)
    result = run_report(sentence_run.directory, pronoun_run.directory, "-o", copy)
    assert result.exit_code == 0, result.output
    # Another run's translation is not taken for it.
    shutil.copy(next(copy.glob("data/*.identity.json")), tmp_path / "other.json")
    with pytest.raises(AssertionError, match="translated again"):
        CliRunner().invoke(
            main,
            ["report", str(pronoun_run.directory), "-o", str(copy), "--split", "valid"],
            catch_exceptions=False,
        )


def test_free_translations_stand_beside_the_runs(pronouns, sentence_run, tmp_path, folder):
    """The free translation is the reference, each document on one line; the toy sentences are so
    much alike that not all find their places."""
    documents = (pronouns / "test.de").read_text().split("<d>\n")[1:]
    free = tmp_path / "free.de"
    free.write_text("".join(f"<d>\n{'. '.join(text.splitlines())}.\n" for text in documents))
    copy = shutil.copytree(folder, tmp_path / "report")
    run, given = sentence_run.directory, ("--translation", f"model={free}")
    documents_of_split = list(corpora.read(pronouns / "test.en", pronouns / "test.de"))
    result = run_report(run, "-o", copy, *given, "--realign")
    assert result.exit_code == 0, result.output
    state = json.loads((copy / "data" / "results.json").read_text())
    (name, counts), (free_name, free_counts) = [
        (one["name"], one["counts"]) for one in state["realignments"]
    ]
    assert free_name == "model" != name
    assert counts["lost"] == 0 < free_counts["translated"]
    assert all("realign:lexical" in one["signature"] for one in state["systems"])
    assert {one["system_name"] for one in state["comparisons"]} == {"model"}
    page = (copy / "index.html").read_text()
    assert "lost (moved)" in page
    assert "a translation in a file" in page
    card = (copy / "card.md").read_text()
    assert "| model | a translation in a file | not known |" in card
    assert "realign:lexical" in card
    same = read_named({"model": str(pronouns / "test.de")}, {}, documents_of_split, realign=False)
    assert [one.source for one in same["model"]] == [one.source for one in documents_of_split]
    refused = run_report(run, "-o", copy, *given)
    assert refused.exit_code == 2
    assert "realign" in refused.stderr


def test_the_card_has_systems_data_hardware_and_signatures(folder, sentence_run, pronoun_run):
    card = (folder / "card.md").read_text()
    state = json.loads((folder / "data" / "results.json").read_text())
    for score in state["systems"]:
        assert f"{score['mean']:.2f}" in card
        assert score["signature"] in card
    for run in (sentence_run, pronoun_run):
        end = json.loads(run.log.read_text().splitlines()[-1])
        assert f"| {end['hardware']} | " in card
        assert run.recipe.data.train.source in card
    sizes = json.loads((sentence_run.directory / "data" / "report.json").read_text())["splits"]
    assert f"| {sizes['train']['documents']:,} | {sizes['train']['sentences']:,} |" in card
    assert "| not measured |" in card
    assert all(note in card for note in state["notes"])


def test_mistakes_end_without_a_traceback(sentence_run, tmp_path, long_short_run):
    def message(*arguments):
        result = run_report(*arguments)
        assert result.exit_code == 2
        return result.stderr

    run = sentence_run.directory
    assert "a run is given twice" in message(run, run, "-o", tmp_path / "a")
    assert "has another test split than" in message(run, long_short_run.directory, "-o", tmp_path)
    (tmp_path / "file").write_text("")
    assert "is a file" in message(run, "-o", tmp_path / "file")
    assert "no such" in message(tmp_path / "none", "-o", tmp_path / "b")
    assert "no document 'x'" in message(run, "-o", tmp_path / "c", "--attention", "x")
    for given in ("file.de", "=file.de", "name="):
        assert "Write NAME=FILE" in message(run, "-o", tmp_path / "d", "--translation", given)
    assert "no effect without --realign" in message(run, "-o", tmp_path / "d", "--encoder", "x")


def test_a_reconstruction_is_called_so(tinier_corpus, tmp_path, sentence_run):
    recipe = toy_recipe(
        tinier_corpus,
        instances={"kind": "sentence", "previous_sentences": 1},
        system={"name": "flat-transformer", "top_layers": 1},
        training={"max_steps": 2, "validate_every": 2},
        search={"beam_size": 1},
    )
    run = train(recipe, tmp_path / "flat", progress=False)
    assert run_report(run.directory, "-o", tmp_path / "report").exit_code == 0
    page = (tmp_path / "report" / "index.html").read_text()
    assert "flat-transformer is a reconstruction from the abstract of Ma et al. 2020" in page
    assert run_report(sentence_run.directory, "-o", tmp_path / "other").exit_code == 0
    assert "is a reconstruction" not in (tmp_path / "other" / "index.html").read_text()


def test_the_share_of_the_context_that_passes_gates_is_a_fact_of_a_run(sentence_run, tmp_path):
    run = SystemRun.load(shutil.copytree(sentence_run.directory, tmp_path / "run"))
    assert "context that passes gates" not in summary("run", run).facts
    *lines, end = (json.loads(line) for line in run.log.read_text().splitlines())
    end["context_share"] = {"a": 0.031, "b": 0.002}
    run.log.write_text("".join(json.dumps(line) + "\n" for line in [*lines, end]))
    found = summary("run", run)
    assert found.facts["context that passes gates"] == "0.2-3.1%"


@pytest.fixture(scope="module")
def staged_run(pronouns, tmp_path_factory) -> SystemRun:
    """Two stages of four and three updates, moved after their training."""
    recipe = toy_recipe(pronouns, training={"validate_every": 1}).model_dump(mode="json")
    stages = [
        {"name": "sentence", "instances": {"kind": "sentence"}, "training": {"max_steps": 4}},
        {"name": "document", "training": {"max_steps": 3}},
    ]
    at = tmp_path_factory.mktemp("staged")
    train(Recipe.read({**recipe, "stages": stages}), at / "run", progress=False)
    return SystemRun.load(shutil.move(at / "run", at / "moved"))


def test_a_run_has_the_updates_time_and_data_of_all_stages(staged_run, tmp_path):
    directory = staged_run.directory
    stages = run_stages(directory)
    assert stages == [directory / "stages" / "sentence", directory]
    assert run_stages(stages[0]) == stages[:1]
    of_run, of_stage = summary("run", staged_run), summary("stage", SystemRun.load(stages[0]))
    assert of_run.facts["updates"] == "4 + 3"
    assert of_run.facts["stages"] == "sentence, the run itself"
    assert "stages" not in of_stage.facts and of_stage.facts["updates"] == "4"
    earlier = max(of_stage.minutes.values())
    assert 0 < earlier < min(of_run.minutes.values())
    (data,) = run_data(of_run)
    assert data.stages == ["sentence", "the run itself"]
    assert data.sizes["train"].documents == 150 and data.overlap
    by_time = {one.quantity: one.points for one in read_curves(staged_run.log, "minutes")}
    assert by_time["validation loss"][0][0] > earlier
    assert run_report(directory, "-o", tmp_path / "report").exit_code == 0
    card = (tmp_path / "report" / "card.md").read_text()
    assert "updates 4 + 3" in card
    assert "| train | " in card and "| 150 | " in card


def test_a_run_that_starts_from_another_says_from_which(staged_run, pronouns, tmp_path):
    start = staged_run.directory / "stages" / "sentence"
    recipe = toy_recipe(
        pronouns, initialize={"run": str(start)}, training={"max_steps": 1, "validate_every": 1}
    )
    run = train(recipe, tmp_path / "run", progress=False)
    assert run_stages(run.directory) == [run.directory]
    assert str(start) in summary("run", run).facts["starts from"]


def test_runs_are_called_by_what_tells_them_apart():
    paths = [Path("/x/a/run"), Path("/x/b/run"), Path("/x/c")]
    assert run_names(paths[:1]) == ["run"]
    assert run_names(paths[1:]) == ["run", "c"]
    assert run_names(paths) == ["a/run", "b/run", "x/c"]
    with pytest.raises(InputError, match="given twice"):
        run_names([Path("/a"), Path("/a")])


def test_words_that_the_first_lacks_are_marked():
    parts = marked("Er geht nach Hause.", "Sie geht heim, nach Hause.")
    assert "".join(part.text for part in parts) == "Sie geht heim, nach Hause."
    assert [part.text for part in parts if part.differs] == ["Sie", " heim,"]
    assert not any(part.differs for part in marked("gleich", "gleich"))
    assert marked("", "neu")[0].differs


def test_documents_that_differ_most_come_first():
    references = [Document(str(i), ("a b", "c"), ("der Hund", "ja")) for i in range(2)]
    first = [d.translated(["der Hund", "ja"]) for d in references]
    second = [references[0].translated(["der Hund", "ja"]), references[1].translated(["x", "ja"])]
    found = compared({"one": first, "two": second}, references)
    assert [document.id for document in found] == ["1", "0"]
    assert found[0].gain < 0
    assert [s.is_same for s in found[0].sentences] == [False, True]
    assert found[1].difference == 0


def test_buckets_hold_every_sentence_once():
    source = tuple("a " * n for n in (1, 5, 6, 60))
    target = ("eins", "zwei", "drei", "ein Satz mit vielen Wörtern")
    references = [Document("d", source, target)]
    translations = {"one": [references[0].translated(list(target))]}
    lengths = buckets.by_length(translations, references, "de")
    assert [(b.label, b.sentences) for b in lengths] == [("1–5", 2), ("6–10", 1), ("51+", 1)]
    assert lengths[-1].scores["one"] == pytest.approx(100)
    positions = buckets.by_position(translations, references, "de")
    assert [(b.label, b.sentences) for b in positions] == [("1", 1), ("2", 1), ("3–5", 2)]


def test_a_bucket_has_the_sentences_of_its_category():
    references = [
        Document("d", ("he ran home", "the dog"), ("er ging gestern nach Hause", "der Hund"))
    ]
    translations = {"one": [references[0].translated(["er ging gestern nach Hause", "Katze"])]}
    members = {"a": np.array([True, False]), "b": np.array([True, True]), "c": np.zeros(2, bool)}
    categories = Categories(members, np.zeros(2, int), "")
    found = buckets.by_category(translations, references, "de", categories)
    assert [(bucket.label, bucket.sentences) for bucket in found] == [("a", 1), ("b", 2)]
    assert found[0].scores["one"] > found[1].scores["one"]


def test_charts_show_each_value_and_escape_names():
    chart = charts.line_chart({"<a>": [(1, 2.0), (3, 2.0)]}, x="updates", y="loss", legend=True)
    assert "&lt;a&gt;: 3, 2" in chart
    assert "<a>" not in chart
    bars = charts.bar_chart(["1–5"], {"x": [12.5], "y": [0.0]}, x="words", y="s-BLEU")
    assert bars.count("<rect") == 2
    assert "x, 1–5: 12.50" in bars


@pytest.mark.browser
def test_a_browser_sorts_filters_and_moves_by_keys(folder, page):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "request",
        lambda request: errors.append(request.url) if not request.url.startswith("file:") else None,
    )
    page.goto((folder / "index.html").as_uri())
    documents = page.locator(".document")
    assert documents.count() == 9
    page.select_option("#order", "document")
    ids = [documents.nth(i).get_attribute("data-id") for i in range(9)]
    assert ids == sorted(ids, key=int)
    page.fill("#find", "horse")
    shown = page.locator(".document:visible").count()
    assert 0 < shown < 9
    assert "sentences" in page.inner_text("#found")
    page.fill("#find", "")
    page.keyboard.press("Tab")
    page.locator("h2").first.click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    focused = page.evaluate("document.activeElement.closest('.document').dataset.id")
    assert focused == ids[1]
    before = page.evaluate("document.activeElement.parentElement.open")
    page.keyboard.press("o")
    assert page.evaluate("document.activeElement.parentElement.open") != before
    assert errors == []


@pytest.mark.by_default(1)
@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_screen(folder, page, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto((folder / "index.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
