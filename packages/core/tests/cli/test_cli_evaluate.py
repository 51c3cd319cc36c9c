"""`docmt evaluate` on the first documents of the bundled test split."""

from __future__ import annotations

import json
import lzma
import re
import shutil

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.text import Pipeline, TextSettings

# In the folder that tests run in.
SOURCE, REFERENCE, DOCIDS = (f"test.{part}.xz" for part in ("en", "de", "docids"))
DOCUMENTS, SENTENCES = 7, 259


def evaluate(*arguments: object, **settings):
    return CliRunner().invoke(main, ["evaluate", *map(str, arguments)], **settings)


def first_documents(name: str) -> str:
    """The text of a file of the bundled corpus, up to the last document that is used here."""
    text = lzma.decompress(corpus_file(name).read_bytes()).decode()
    if name == DOCIDS:
        return "".join(text.splitlines(keepends=True)[:DOCUMENTS])
    return "<d>\n".join(text.split("<d>\n")[: DOCUMENTS + 1])


def spoil(every: int) -> str:
    """The reference with a word left out of some sentences, and the whole sentence of others."""
    lines = first_documents(REFERENCE).splitlines()
    for number, line in enumerate(lines):
        if line != "<d>" and number % every == 0:
            lines[number] = " ".join(line.split()[1:])
    return "".join(line + "\n" for line in lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    for name in (SOURCE, REFERENCE, DOCIDS):
        (folder / name).write_bytes(lzma.compress(first_documents(name).encode()))
    (folder / "out.de").write_text(spoil(4), encoding="utf-8")
    (folder / "other.de").write_text(spoil(2), encoding="utf-8")
    (folder / "flat.de").write_text(spoil(4).replace("<d>\n", ""), encoding="utf-8")
    (folder / "short.de").write_text("<d>\nKurz.\n", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def in_folder(folder, monkeypatch):
    """Tests run where the files are."""
    monkeypatch.chdir(folder)


def test_each_position_in_a_sliding_window_is_scored(long_short_run, tinier_corpus, tmp_path):
    output, reference = tmp_path / "out.jsonl", tinier_corpus / "test.de"
    translated = CliRunner().invoke(
        main,
        [
            "translate",
            "--run",
            str(long_short_run.directory),
            "--segmented",
            "--positions",
            "--output-format",
            "jsonl",
            "-o",
            str(output),
            str(tinier_corpus / "test.en"),
        ],
    )
    assert translated.exit_code == 0, translated.output
    assert "translated in a sliding window of 3 sentences, taken at position 3" in translated.stderr
    arguments = ("--hypothesis", output, "--reference", reference, "--positions")
    found = json.loads(evaluate(*arguments, "--json").stdout)
    assert len(found["positions"]) == 3
    assert found["positions"][-1] == found["scores"]
    table = evaluate(*arguments).stdout
    for position, by_position in enumerate(found["positions"], start=1):
        row = f"{position} " + " ".join(f"{score['score']:.2f}" for score in by_position)
        assert row in [" ".join(line.split()) for line in table.splitlines()]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a", "source": ["b"], "target": ["c"]}', "line 2: has no translation for each"),
        ('{"id": "a", "source": ["b"], "target": ["c"], "positions": []}', "has 0 positions"),
    ],
)
def test_a_file_without_each_position_is_an_error(tmp_path, line, message):
    whole = '{"id": "z", "source": ["b"], "target": ["c"], "positions": [{"target": ["c"]}]}'
    path = tmp_path / "out.jsonl"
    path.write_text(f"{whole}\n{line}\n")
    (tmp_path / "reference.de").write_text("<d>\nc\n<d>\nc\n")
    result = evaluate("--hypothesis", path, "--reference", tmp_path / "reference.de", "--positions")
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_windows_that_overlap_have_no_instances_to_score(folder, long_short_run):
    result = evaluate(
        "--hypothesis",
        folder / "out.de",
        "--reference",
        REFERENCE,
        "--source",
        SOURCE,
        "--run",
        long_short_run.directory,
    )
    assert result.exit_code == 2
    assert "search.windows: sliding" in result.stderr


def scores(result) -> dict[str, float]:
    assert result.exit_code == 0, result.output
    return {score["name"]: score["score"] for score in json.loads(result.stdout)["scores"]}


def test_a_translation_is_scored_by_sentence_and_document(folder):
    result = evaluate("--hypothesis", folder / "out.de", "--reference", REFERENCE)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    quoted = [line for line in lines if f" · docs {DOCUMENTS} · sents {SENTENCES} · unit " in line]
    assert [line.split()[0] for line in quoted] == ["s-BLEU", "d-BLEU", "s-chrF"]
    assert " · empty " in quoted[0]
    assert result.stderr == ""


def test_json_says_the_same_to_programs(folder):
    result = evaluate(
        "--hypothesis",
        folder / "out.de",
        "--reference",
        REFERENCE,
        "--reference",
        REFERENCE,
        "--metric",
        "ter",
        "--metric",
        "d-bleu",
        "--lowercase",
        "--json",
    )
    assert list(scores(result)) == ["TER", "d-BLEU"]
    d_bleu = json.loads(result.stdout)["scores"][1]
    assert d_bleu["settings"].startswith("nrefs:2|case:lc|")
    counts = f"docs {DOCUMENTS} · sents {SENTENCES} · "
    assert d_bleu["signature"].startswith(f"{counts}unit document · ")


def test_docids_stand_in_for_markers_and_standard_input_for_a_file(folder):
    marked = evaluate("--hypothesis", "-", "--reference", REFERENCE, "--json", input=spoil(4))
    unmarked = evaluate(
        "--hypothesis", folder / "flat.de", "--reference", REFERENCE, "--docids", DOCIDS, "--json"
    )
    assert scores(marked) == scores(unmarked)


def test_a_file_without_boundaries_is_one_document_and_that_is_noted(folder):
    text = first_documents(REFERENCE).replace("<d>\n", "")
    flat = folder / "flat.reference"
    flat.write_text(text, encoding="utf-8")
    result = evaluate("--hypothesis", flat, "--reference", flat, "--json")
    assert scores(result)["d-BLEU"] == pytest.approx(100)
    noted = f"{flat} is one document of {SENTENCES} sentences"
    assert noted in json.loads(result.stdout)["notes"] and result.stderr == ""


def notes_in(values) -> list[str]:
    """All notes in the output as JSON, wherever they are."""
    if isinstance(values, list):
        return [note for value in values for note in notes_in(value)]
    if not isinstance(values, dict):
        return []
    return [*values.get("notes", ()), *notes_in([v for k, v in values.items() if k != "notes"])]


@pytest.mark.by_default(1)
@pytest.mark.parametrize("systems", [False, True])
def test_every_note_is_in_each_output(folder, tmp_path, systems):
    copied, flat = tmp_path / "copied.de", tmp_path / "flat.de"
    copied.write_text(re.sub(r"(?m)^(?!<d>).+$", "x .", first_documents(REFERENCE)), "utf-8")
    flat.write_text(first_documents(REFERENCE).replace("<d>\n", ""), encoding="utf-8")
    reference, other = tmp_path / "reference.de", tmp_path / "other.de"
    reference.write_text(flat.read_text("utf-8"), encoding="utf-8")
    other.write_text(copied.read_text("utf-8").replace("<d>\n", ""), encoding="utf-8")
    command = ["--reference", reference, "--metric", "s-bleu", "--metric", "d-bleu"]
    if systems:
        command += ["--system", f"a={other}", "--system", f"b={flat},{other}", "--baseline", "a"]
    else:
        command += ["--hypothesis", other, "--baseline", flat, "--baseline", reference]
    notes = notes_in(json.loads(evaluate(*command, "--json").stdout))
    for kind in ("is one document of", "p cannot be less", "tokenized", "same as a reference"):
        assert any(kind in note for note in notes), kind
    shown = evaluate(*command).stdout
    assert all(note in shown for note in notes)


def test_a_baseline_is_compared_with(folder):
    arguments = ["--hypothesis", folder / "out.de", "--reference", REFERENCE]
    result = evaluate(*arguments, "--baseline", folder / "other.de", "--metric", "s-bleu", "--json")
    assert result.exit_code == 0, result.output
    (comparison,) = json.loads(result.stdout)["comparisons"]
    assert comparison["score"] == pytest.approx(scores(result)["s-BLEU"])
    assert comparison["baseline"] == pytest.approx(
        scores(evaluate("--hypothesis", folder / "other.de", *arguments[2:], "--json"))["s-BLEU"]
    )
    assert comparison["p"] < 0.01


def test_several_baselines_are_in_one_table(folder):
    arguments = ["--hypothesis", folder / "out.de", "--reference", REFERENCE, "--metric", "s-bleu"]
    others = ["--baseline", folder / "other.de", "--baseline", REFERENCE]
    result = evaluate(*arguments, *others, "--json")
    comparisons = json.loads(result.stdout)["comparisons"]
    assert [c["baseline_name"] for c in comparisons] == [str(folder / "other.de"), str(REFERENCE)]
    assert comparisons[0]["difference"] > 0 > comparisons[1]["difference"]


def test_systems_with_seeds_are_in_one_table(folder):
    arguments = ["--reference", REFERENCE, "--metric", "s-bleu", "--baseline", "other"]
    arguments += ["--system", f"ours={folder / 'out.de'},{REFERENCE}"]
    arguments += ["--system", f"other={folder / 'other.de'}"]
    result = evaluate(*arguments, "--json")
    found = json.loads(result.stdout)
    assert [(s["system"], len(s["scores"])) for s in found["systems"]] == [
        ("ours", 2),
        ("other", 1),
    ]
    (comparison,) = found["comparisons"]
    assert (comparison["system_name"], comparison["baseline_name"]) == ("ours", "other")
    assert " ± " in evaluate(*arguments).stdout
    # A baseline may be a file that is not one of the systems.
    arguments[5] = REFERENCE
    comparisons = json.loads(evaluate(*arguments, "--json").stdout)["comparisons"]
    assert [c["system_name"] for c in comparisons] == ["ours", "other"]


def test_a_run_translates_and_scores_its_own_test_split(tiny_run, tiny_corpus, tmp_path):
    output = tmp_path / "out.tsv"
    result = evaluate("--run", tiny_run.directory, "--split", "test", "-o", output, "--json")
    found = scores(result)
    again = evaluate(
        "--hypothesis",
        output,
        "--reference",
        tiny_corpus / "test.de",
        "--json",
        "--baseline",
        output,
    )
    assert scores(again)["s-BLEU"] == found["s-BLEU"] > 50
    compared = evaluate(
        "--run",
        tiny_run.directory,
        "--split",
        "test",
        "--baseline",
        output,
        "--metric",
        "s-bleu",
        "--json",
    )
    (comparison,) = json.loads(compared.stdout)["comparisons"]
    assert comparison["difference"] == 0


def test_what_a_run_scored_is_kept_and_gives_the_same_scores_again(tiny_run, tiny_corpus, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(tiny_run.directory, run, ignore=shutil.ignore_patterns("evaluation"))
    baseline = tiny_corpus / "test.de"
    metrics = [a for name in ("s-bleu", "instance-bleu", "multi-bleu") for a in ("--metric", name)]
    arguments = ["--run", run, "--split", "test", "--baseline", baseline, *metrics, "--json"]
    found = json.loads(evaluate(*arguments).stdout)
    kept = run / "evaluation" / "test"
    record = json.loads((kept / "scores.json").read_text(encoding="utf-8"))
    assert (record["scores"], record["comparisons"]) == (found["scores"], found["comparisons"])
    assert record["baselines"] == {"baseline-1.jsonl": str(baseline)}
    assert record["settings"]["split"] == "test" and record["settings"]["search"] == {}
    again = evaluate(
        "--run",
        run,
        "--hypothesis",
        kept / "translation.jsonl",
        "--reference",
        kept / "reference-1.jsonl",
        "--baseline",
        kept / "baseline-1.jsonl",
        "--source",
        kept / "translation.jsonl",
        *metrics,
        "--json",
    )
    searched = "beam:2|lenpen:1|maxlen:1.5n+10"
    for score, of_run in zip(json.loads(again.stdout)["scores"], found["scores"], strict=True):
        assert of_run["search"] == searched and score["search"] == ""
        signature = of_run["signature"].replace(f" · {searched}", "")
        assert score == of_run | {"search": "", "signature": signature}
    named = [{**c, "baseline_name": str(baseline)} for c in json.loads(again.stdout)["comparisons"]]
    assert named == found["comparisons"]


def test_a_run_that_cannot_be_written_is_scored_all_the_same(tiny_run, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(tiny_run.directory, run, ignore=shutil.ignore_patterns("evaluation"))
    (run / "evaluation").touch()
    result = evaluate("--run", run, "--split", "test", "--metric", "s-bleu", "--json")
    assert scores(result)["s-BLEU"] > 50
    assert "its scores are not kept in the run" in " ".join(result.stderr.split())


def test_a_run_scores_a_split_against_all_its_references(tiny_run, tiny_corpus, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(tiny_run.directory, run)
    text = (run / "recipe.yaml").read_text(encoding="utf-8")
    before, after = text.split("  test:\n")
    after = after.replace("references: []", f"references: [{tiny_corpus / 'test.de'}]", 1)
    (run / "recipe.yaml").write_text(f"{before}  test:\n{after}", encoding="utf-8")
    found = evaluate("--run", run, "--split", "test", "--metric", "s-bleu", "--json")
    (score,) = json.loads(found.stdout)["scores"]
    assert score["settings"].startswith("nrefs:2|")


def test_the_target_side_may_be_left_out_of_the_scores(tiny_run, tiny_corpus, tmp_path):
    run, other = tmp_path / "run", tmp_path / "other.de"
    shutil.copytree(tiny_run.directory, run)
    target = (tiny_corpus / "test.de").read_text(encoding="utf-8")
    other.write_text(re.sub(r"(?m)^(?!<d>).+$", "etwas ganz anderes", target), encoding="utf-8")
    text = (run / "recipe.yaml").read_text(encoding="utf-8")
    before, after = text.split("  test:\n")
    recipe = before + "  test:\n" + after.replace("score_target: true", "score_target: false", 1)
    (run / "recipe.yaml").write_text(recipe, encoding="utf-8")
    command = ["--run", run, "--split", "test", "--metric", "s-bleu", "--json"]
    refused = evaluate(*command).stderr
    assert "data.test.score_target: false leaves no reference" in " ".join(refused.split())
    with_other = recipe.replace("references: []", f"references: [{other}]")
    (run / "recipe.yaml").write_text(with_other, encoding="utf-8")
    (score,) = json.loads(evaluate(*command).stdout)["scores"]
    assert score["settings"].startswith("nrefs:1|")
    assert score["score"] < 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--split", "test"], "--split needs the run"),
        (["--run", "RUN", "--split", "test", "--reference", "a"], "takes the place of --reference"),
        (["--run", "RUN", "--split", "test", "--system", "a=b"], "--system cannot be used with"),
        (["--system", "a=b", "--hypothesis", "c"], "--hypothesis cannot be used with --system"),
        (["--system", "a=b", "--positions"], "--positions cannot be used with --system"),
        (["--system", "a=b"], "there is no --reference"),
        (["--system", "a=b", "--reference", "c", "--baseline", "d"], "b: no such file"),
        (["--run", "RUN", "--split", "test", "--positions"], "--positions cannot be used"),
        (["--run", "RUN", "--split", "test", "-o", "-"], "standard output is for the scores"),
        (["--run", "RUN", "--split", "test", "-o", "nowhere.txt/a"], "cannot be written"),
        (["--hypothesis", "a"], "no --hypothesis and --reference"),
        (["--hypothesis", "a", "--reference", "b", "-o", "c"], "no effect without --split"),
        (["--hypothesis", "a", "--reference", "b", "--oracle"], "--oracle has no effect without"),
        (["--run", "RUN", "--split", "test", "--oracle"], "search.oracle needs a system.stack"),
        (["--hypothesis", "a", "--hypothesis", "b", "--reference", "c"], "more than once"),
    ],
)
def test_what_is_to_be_scored_must_be_clear(tiny_run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nowhere.txt").touch()
    named = [str(tiny_run.directory) if a == "RUN" else a for a in arguments]
    result = evaluate(*named)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


@pytest.fixture(scope="module")
def run(folder):
    """A run that was never trained: its recipe and pipeline are all that scores need."""

    def words() -> list[str]:
        return first_documents(SOURCE).split("\n")

    text = {"subword": "words", "vocabulary_size": 1000, "tokenize": "moses"}
    recipe = Recipe.read(
        {
            "data": {"target_language": "de"},
            "text": text,
            "instances": {"kind": "tokens", "max_tokens": 100},
            "evaluation": {"metrics": ["d-bleu"], "lowercase": True},
        }
    )
    pipeline = Pipeline.fit(TextSettings.read(text), words, words, languages=("en", "de"))
    return SystemRun.create(folder / "run", recipe, pipeline)


def test_a_run_says_how_to_score_and_where_instances_end(folder, run):
    arguments = ["--hypothesis", folder / "out.de", "--reference", REFERENCE, "--json"]
    arguments += ["--run", run.directory]
    assert list(scores(evaluate(*arguments))) == ["d-BLEU"]
    result = evaluate(*arguments, "--source", SOURCE)
    assert list(scores(result)) == ["d-BLEU", "instance-BLEU"]
    by_instance = json.loads(result.stdout)["scores"][1]
    assert "case:lc" in by_instance["settings"]
    assert DOCUMENTS < by_instance["segments"] < SENTENCES
    overruled = evaluate(*arguments, "--no-lowercase", "--language", "zh", "--metric", "s-bleu")
    assert "case:mixed|eff:no|tok:zh" in overruled.stdout


def test_a_run_says_what_words_multi_bleu_compares(folder, run):
    arguments = ["--hypothesis", folder / "out.de", "--reference", REFERENCE, "--json"]
    arguments += ["--metric", "multi-bleu", "--metric", "mteval-v13a"]
    found = json.loads(evaluate(*arguments, "--run", run.directory).stdout)["scores"]
    assert [score["settings"].split("|")[3:5] for score in found] == [
        ["tok:nfc+moses-de", "smooth:none"],
        ["tok:13a", "smooth:exp"],
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "bleu"], "unknown metric 'bleu'. Did you mean 's-bleu'?"),
        (["--metric", "instance-bleu"], "or --run and --source"),
        (["--reference", "-", "--baseline", "-"], "only one file can be standard input"),
        (["--language", "German"], "'German' is not a valid language code"),
        (["--run", "nowhere"], "nowhere: no such directory"),
        (["--resample", "document"], "--resample has no effect without --baseline"),
        (["--metric", "multi-bleu"], "multi-BLEU compares words"),
        (
            ["--baseline", SOURCE, "--metric", "d-bleu", "--resample", "sentence"],
            "d-BLEU compares documents, so sentences cannot be resampled",
        ),
        (["--docids", "nowhere.docids"], "nowhere.docids: no such file"),
        (["--boundaries", "none"], "a <d> line, but boundaries are 'none'"),
        (["--reference", "flat.de"], "flat.de, line 206: the sentence is empty"),
        (
            ["--reference", "short.de"],
            f"the translation has {DOCUMENTS} documents and {SENTENCES} sentences, reference",
        ),
    ],
)
def test_a_mistake_ends_with_exit_code_2_and_what_to_do(arguments, message):
    result = evaluate("--hypothesis", "out.de", "--reference", REFERENCE, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_a_free_translation_is_aligned_and_written(folder, tmp_path):
    text = (folder / "out.de").read_text(encoding="utf-8").split("<d>\n")[1:]
    lines = [document.splitlines() for document in text]
    free = "".join("<d>\n" + " ".join(one[:-1]) + "\n" for one in lines)
    (tmp_path / "free.de").write_text(free, encoding="utf-8")
    sides = ["--hypothesis", tmp_path / "free.de", "--reference", REFERENCE]
    refused = evaluate(*sides)
    assert refused.exit_code == 2
    assert "docmt evaluate --realign" in " ".join(refused.output.split())
    options = [*sides, "--source", SOURCE, "--language", "de", "--realign", "--json"]
    aligned = tmp_path / "aligned.de"
    result = evaluate(*options, "-o", aligned)
    assert result.exit_code == 0, result.output
    (realignment,) = json.loads(result.stdout)["realignments"]
    assert realignment["counts"]["sentences"] == SENTENCES
    assert realignment["counts"]["lost"] >= DOCUMENTS / 2
    assert len(aligned.read_text(encoding="utf-8").splitlines()) == SENTENCES + DOCUMENTS
    for extra in (["-o", "-"], ["-o", tmp_path / "free.de"], ["--split", "test"], ["--positions"]):
        assert evaluate(*options, *extra).exit_code == 2
    alone = [option for option in options if option != "--realign"]
    assert evaluate(*alone, "-o", aligned).exit_code == 2
