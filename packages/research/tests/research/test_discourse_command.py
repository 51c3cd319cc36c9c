"""`docmt discourse` on some documents of the bundled corpus."""

from __future__ import annotations

import json
import lzma
import re

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_nmt.corpora.demo import corpus_file

SOURCE, REFERENCE = "test.en", "test.de"
LANGUAGES = ("--source-language", "en", "--language", "de")


def discourse(*arguments: object, languages=LANGUAGES):
    return CliRunner().invoke(main, ["discourse", *map(str, arguments), *languages])


def some_documents(side: str) -> str:
    """The first documents of a side of the bundled validation split."""
    text = lzma.decompress(corpus_file(f"dev.{side}.xz").read_bytes()).decode()
    return "<d>\n" + "<d>\n".join(text.split("<d>\n")[1:7])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The reference, and translations with other pronouns, with sentences left out, and copied."""
    folder = tmp_path_factory.mktemp("discourse")
    text = some_documents("de")
    lines = text.splitlines()
    (folder / SOURCE).write_text(some_documents("en"), encoding="utf-8")
    (folder / REFERENCE).write_text(text, encoding="utf-8")
    (folder / "same.de").write_text(text, encoding="utf-8")
    swapped = text.replace(" er ", " sie ").replace("Mönch", "Asket", 40)
    (folder / "out.de").write_text(swapped, encoding="utf-8")
    some = [line if line == "<d>" or n % 4 else "" for n, line in enumerate(lines)]
    (folder / "some.de").write_text("".join(f"{line}\n" for line in some), encoding="utf-8")
    (folder / "copy.de").write_text(some_documents("en"), encoding="utf-8")
    (folder / "short.de").write_text("<d>\nKurz.\n", encoding="utf-8")
    (folder / "terms.tsv").write_text("Buddha\tBuddha\nmendicants\tMönche\n", encoding="utf-8")
    return folder


@pytest.fixture
def folder(files, monkeypatch):
    """The folder of the files, which is the working directory."""
    monkeypatch.chdir(files)
    return files


def test_names_that_look_like_markup_are_shown_and_what_a_table_leaves_out_is_noted(folder):
    (folder / "out[best].de").write_text((folder / "out.de").read_text())
    texts = ("--hypothesis", "out[best].de", "--source", SOURCE, "--reference", REFERENCE)
    result = discourse(*texts, "--table", "scores.tex")
    assert result.exit_code == 0, result.output
    assert "out[best].de" in result.stdout.split("─", 1)[0]
    assert "out{[}best{]}.de" in (folder / "scores.tex").read_text()
    assert "note: scores-2.tex: " in result.stderr and "more in JSON" in result.stderr


def scores(result) -> dict[str, dict[str, dict]]:
    assert result.exit_code == 0, result.output
    systems = json.loads(result.stdout)["systems"]
    return {s["name"]: {score["name"]: score for score in s["scores"]} for s in systems}


def test_several_translations_are_scored_beside_the_reference(folder):
    ours, some = "out.de", "some.de"
    arguments = (
        "--hypothesis",
        ours,
        "--baseline",
        some,
        "--source",
        SOURCE,
        "--reference",
        REFERENCE,
    )
    table = discourse(*arguments)
    found = scores(discourse(*arguments, "--json"))
    assert list(found) == [ours, some, "reference"]
    assert list(found[ours]) == ["APT", "LTCR", "most-frequent", "BlonDe-without-entities"]
    assert list(found["reference"]) == ["APT", "LTCR", "most-frequent"]
    assert found[ours]["APT"]["score"] < found["reference"]["APT"]["score"] < 100
    assert "of:reference" in found["reference"]["APT"]["signature"]
    assert found[some]["APT"]["counts"]["not in translation"] > 10
    assert found[some]["APT"]["score"] < found[ours]["APT"]["score"]
    assert found[ours]["LTCR"]["score"] < found["reference"]["LTCR"]["score"]
    assert "learned from only" in table.stderr and table.stderr.count("learned from only") == 1
    for name, system in found.items():
        for score in system.values():
            line = f"{name}: {score['name']} {score['score']:.2f} · {score['signature']}"
            assert line in table.stdout.splitlines()
    compared = json.loads(discourse(*arguments, "--json").stdout)["comparisons"]
    assert [comparison["name"] for comparison in compared] == list(found[ours])
    assert compared[0]["difference"] == found[ours]["APT"]["score"] - found[some]["APT"]["score"]
    assert compared[0]["baseline_name"] == some and compared[0]["resampled"] == "document"
    assert "only 6 documents to resample" in compared[0]["notes"][0]
    # A score does not depend on the other systems.
    alone = ("--hypothesis", some, *arguments[4:], "--json")
    assert scores(discourse(*alone))[some] == found[some]
    reference_free = ("--hypothesis", some, "--source", SOURCE, "--metric", "ltcr", "--json")
    assert scores(discourse(*reference_free))[some]["LTCR"] == found[some]["LTCR"]


def test_metrics_are_those_that_the_files_allow(folder):
    same = "same.de"
    without_reference = scores(discourse("--hypothesis", same, "--source", SOURCE, "--json"))
    assert list(without_reference) == [same]
    assert list(without_reference[same]) == ["LTCR", "most-frequent"]
    without_source = scores(discourse("--hypothesis", same, "--reference", REFERENCE, "--json"))
    assert list(without_source[same]) == ["BlonDe-without-entities"]
    assert without_source[same]["BlonDe-without-entities"]["score"] == pytest.approx(100)


def test_a_metric_that_finds_nothing_to_count_is_left_out_unless_it_is_asked_for(tmp_path):
    for side, text in (("en", "She sees it.\nNothing else.\n"), ("de", "Sie sieht es.\nNichts.\n")):
        (tmp_path / side).write_text(text)
    arguments = ("--source", tmp_path / "en")
    arguments += ("--hypothesis", tmp_path / "de", "--reference", tmp_path / "de")
    result = discourse(*arguments, "--json")
    (own, _) = scores(result).values()
    assert list(own) == ["APT", "BlonDe-without-entities"]
    assert "ltcr is left out: no term occurs twice in a document" in result.stderr
    asked = discourse(*arguments, "--metric", "ltcr", "--metric", "apt")
    assert asked.exit_code == 2 and "no term occurs twice" in asked.stderr


def test_a_translation_with_its_source_needs_no_source(folder, tmp_path):
    both = tmp_path / "out.jsonl"
    documents = [
        {"id": "1", "source": ["I see it.", "The king left."], "target": ["Ich sehe es.", "Ja."]},
        {"id": "2", "source": ["The king ate.", "A king!"], "target": ["König aß.", "König!"]},
    ]
    both.write_text("".join(json.dumps(d) + "\n" for d in documents), encoding="utf-8")
    found = scores(discourse("--hypothesis", both, "--reference", both, "--json"))
    assert found[str(both)]["APT"]["score"] == 100
    assert found[str(both)]["LTCR"]["counts"]["terms"] == 1


def test_terms_of_a_list_and_every_occurrence_are_written(folder, tmp_path):
    out = tmp_path / "occurrences.jsonl"
    found = scores(
        discourse(
            "--hypothesis",
            "out.de",
            "--source",
            SOURCE,
            "--terms",
            "terms.tsv",
            "--metric",
            "term-accuracy",
            "--metric",
            "ltcr",
            "--occurrences",
            out,
            "--json",
        )
    )["out.de"]
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    ltcr = [row for row in rows if row["metric"] == "LTCR"]
    assert {row["term"] for row in ltcr} == {"mendicants", "buddha"}
    accuracy = [row for row in rows if row["metric"] == "term-accuracy"]
    total = sum(row["occurrences"] for row in accuracy)
    assert found["term-accuracy"]["counts"]["occurrences"] == total > 3
    right = sum(row["translated"] for row in accuracy)
    assert found["term-accuracy"]["score"] == pytest.approx(100 * right / total)
    assert 0 < right < total


def test_alignments_of_files_are_used(tmp_path):
    (tmp_path / "in.en").write_text("I see it\nit is here\n", encoding="utf-8")
    (tmp_path / "out.de").write_text("ich sehe sie\nhier ist es\n", encoding="utf-8")
    (tmp_path / "ref.de").write_text("ich sehe es\nes ist hier\n", encoding="utf-8")
    (tmp_path / "out.align").write_text("0-0 1-1 2-2\n0-2 1-1 2-0\n", encoding="utf-8")
    (tmp_path / "ref.align").write_text("0-0 1-1 2-2\n0-0 1-1 2-2\n", encoding="utf-8")
    arguments = (
        "--hypothesis",
        tmp_path / "out.de",
        "--source",
        tmp_path / "in.en",
        "--reference",
        tmp_path / "ref.de",
        "--metric",
        "apt",
        "--json",
        "--alignment",
        tmp_path / "out.align",
        "--reference-alignment",
        tmp_path / "ref.align",
    )
    score = scores(discourse(*arguments, "--tokenized"))[str(tmp_path / "out.de")]["APT"]
    assert (score["counts"]["same"], score["counts"]["different"]) == (2, 1)
    assert "align:file" in score["signature"] and "words:spaces" in score["signature"]
    chosen = (
        "--tokenized",
        "--pronoun",
        "it",
        "--equivalent",
        "es,sie",
        "--weights",
        "1,.8,0,0,-,-",
    )
    score = scores(discourse(*arguments, *chosen, "--tokenized"))[str(tmp_path / "out.de")]["APT"]
    assert score["score"] == pytest.approx(90)
    assert "pronouns:it|target:default|equivalent:es/sie" in score["signature"]
    refused = discourse(*arguments)
    assert refused.exit_code == 2 and "tokenized" in refused.stderr


def test_an_alignment_corpus_is_learned_from_as_well(folder, tmp_path):
    corpus = tmp_path / "train.tsv"
    corpus.write_text("".join(f"1\thouse{n}\tHaus{n}\n" for n in range(30)), encoding="utf-8")
    arguments = ("--hypothesis", "same.de", "--source", SOURCE, "--metric", "ltcr", "--json")
    result = discourse(*arguments, "--alignment-corpus", corpus)
    signature = scores(result)["same.de"]["LTCR"]["signature"]
    assert "grow-diag-final-and-with-30-pairs" in signature
    refused = discourse(*arguments, "--alignment-corpus", SOURCE)
    assert refused.exit_code == 2 and "has one language only" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no --hypothesis to score"),
        (["--hypothesis", "same.de"], "neither a source nor a reference"),
        (["--hypothesis", "same.de", "--metric", "aptt"], "Did you mean 'apt'"),
        (["--hypothesis", "same.de", "--metric", "apt"], "apt needs the source. Add --source"),
        (["--hypothesis", "same.de", "--source", SOURCE, "--metric", "apt"], "Add --reference"),
        (
            ["--hypothesis", "same.de", "--source", SOURCE, "--metric", "term-accuracy"],
            "term-accuracy needs terms with their translations",
        ),
        (
            ["--hypothesis", "same.de", "--source", SOURCE, "--weights", "1,x"],
            "'1,x' is not a list of numbers",
        ),
        (["--hypothesis", "same.de", "--source", SOURCE, "--weights", "1,0"], "six cases"),
        (["--hypothesis", "short.de", "--source", SOURCE], "the source has 6 documents and"),
        (["--hypothesis", "-", "--source", "-"], "only one file can be standard input"),
        (
            [
                "--hypothesis",
                "same.de",
                "--source",
                SOURCE,
                "--tokenized",
                "--baseline",
                "out.de",
                "--baseline-alignment",
                "a",
                "--baseline-alignment",
                "b",
            ],
            "1 baseline but 2 alignments of baselines",
        ),
        (["--hypothesis", "same.de", "--source", SOURCE, "--baseline", "same.de"], "named twice"),
        (["--hypothesis", "missing.de", "--source", SOURCE], "no such file"),
    ],
)
def test_mistakes_end_with_what_is_wrong_and_what_helps(folder, arguments, message):
    result = discourse(*arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stdout == ""


def test_unknown_languages_are_asked_for(folder):
    result = discourse("--hypothesis", "same.de", "--source", SOURCE, languages=())
    assert result.exit_code == 2 and "Add --source-language and --language" in result.stderr


def test_a_run_names_the_languages(folder, tiny_run):
    result = discourse(
        "--hypothesis",
        "same.de",
        "--reference",
        REFERENCE,
        "--run",
        tiny_run.directory,
        "--json",
        languages=(),
    )
    assert "lang:de" in scores(result)["same.de"]["BlonDe-without-entities"]["settings"]


def test_a_copy_of_the_source_is_noticed(folder):
    result = discourse(
        "--hypothesis", "copy.de", "--source", SOURCE, "--reference", REFERENCE, "--metric", "apt"
    )
    assert "copies of their source; is it a translation?" in result.stderr
    assert re.search(r"the translation has \d+ pronouns? of 'de', the reference", result.stdout)


def test_where_scores_are_by_category_of_the_source_sentence(folder):
    files = ("--source", SOURCE, "--hypothesis", "out.de", "--reference", REFERENCE, "--where")
    table = discourse(*files, "--baseline", "some.de")
    assert table.exit_code == 0, table.output
    assert "ambiguous pronoun" in table.stdout and "all sentences" in table.stdout
    assert "categories: lists:docmt-en" in table.stdout and "s-chrF" in table.stdout
    found = json.loads(discourse(*files, "--metric", "s-bleu", "--json").stdout)
    assert {score["metric"] for score in found["scores"]} == {"s-BLEU"}
    (folder / "lists.json").write_text('{"pronoun": []}')
    wrong = discourse(*files, "--category-lists", "lists.json")
    assert wrong.exit_code == 2 and "unknown key 'pronoun'" in wrong.stderr
    alone = discourse(*files[:-1], "--category-lists", "lists.json")
    assert alone.exit_code == 2 and "no effect without --where" in alone.stderr


@pytest.mark.slow
def test_free_translations_are_aligned_first(folder):
    """One of the documents lacks a sentence."""
    lines = (folder / "out.de").read_text().splitlines()
    lost = lines.pop(4)
    (folder / "free.de").write_text("".join(f"{line}\n" for line in lines))
    texts = ("--source", SOURCE, "--reference", REFERENCE, "--baseline", "same.de", "--realign")
    result = discourse("--hypothesis", "free.de", *texts, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    ours, baseline = found["realignments"]
    assert lost != "<d>"
    assert [one["sentence"] for one in ours["lost"]] == [4]
    assert baseline["counts"]["lost"] == 0
    ours, baseline, reference = found["systems"]
    assert all("realign:lexical" in one["signature"] for one in ours["scores"])
    assert all("realign:lexical" in one["signature"] for one in found["comparisons"])
    assert not any("realign" in one["signature"] for one in reference["scores"])
    printed = discourse("--hypothesis", "free.de", *texts).stdout
    assert "(moved)" in printed  # The name of the column may take two lines.


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--realign",), "which is missing"),
        (("--encoder", "x"), "no effect without --realign"),
        (("--reference", REFERENCE, "--realign", "--alignment", "a"), "Leave out --alignment"),
    ],
)
def test_options_for_free_translations_that_cannot_be_used_are_refused(folder, arguments, problem):
    result = discourse("--hypothesis", "out.de", "--source", SOURCE, *arguments)
    assert result.exit_code == 2
    assert problem in " ".join(result.stderr.split())
