"""Every benchmark of speed runs, in small, and gives the figures that its table promises."""

import json
import runpy
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
import torch

import docmt_files
from docmt_files.base.documents import Document
from docmt_nmt import corpora
from firefox_models import needs_firefox_models

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

TINY = ["--preset", "tiny"]
FIGURES = {"wall_median", "wall_best", "user_median", "system_median", "matrix_share"}


def test_training(benchmark, sentences):
    printed, figures = benchmark(
        "training", *sentences, *TINY, "--tokens", 64, "--lengths", 32, 64, "--repeats", 1
    )
    paths = "dense", "fp32", "bf16-pytorch", "bf16"
    assert set(figures) == {f"{n} {path}" for n in (32, 64) for path in paths}
    assert all(set(values) >= FIGURES for values in figures.values())
    assert "matrix rate: fp32" in printed
    assert "not measured: the published G-Transformer code" in printed


def test_published_code_must_be_in_the_folder(benchmark, sentences, tmp_path):
    with pytest.raises(SystemExit, match="not a checkout of the published G-Transformer code"):
        benchmark("training", *sentences, *TINY, "--published", tmp_path)


@pytest.mark.slow
def test_memory_of_training(benchmark, sentences):
    printed, _ = benchmark(
        "training", *sentences, *TINY, "--tokens", 64, "--lengths", 32, "--memory"
    )
    assert "KiB per token" in printed


def test_attention(benchmark, sentences):
    printed, figures = benchmark(
        "attention", *sentences, "--tokens", 64, "--heads", 2, "--dimension", 8, "--repeats", 1
    )
    assert {"attend", "kernel", "dense"} <= set(printed.split())
    assert set(figures["sentences, causal, fp32, attend backward"]) >= FIGURES


def test_search(benchmark, sentences):
    printed, figures = benchmark(
        "search",
        *sentences,
        *TINY,
        "--documents",
        1,
        "--tokens",
        20,
        "--beam-size",
        2,
        "--peer-batches",
        16,
        "--repeats",
        1,
    )
    for unit in ("documents", "sentences"):
        for precision in ("fp32", "bf16", "int8"):
            assert set(figures[f"docmt {unit} {precision}"]) >= FIGURES
    assert "words/core-s" in printed
    assert "not measured: the published G-Transformer code" in printed
    ours = [values for name, values in figures.items() if name.startswith("docmt")]
    assert len({values["tokens_written"] for values in ours}) == 1


def test_long_documents(benchmark, sentences):
    printed, figures = benchmark(
        "long_documents", *sentences, *TINY, "--tokens", 20, 40, "--beam-size", 2
    )
    assert "time grows with the tokens to the power" in printed
    assert figures["20 fp32"]["written"] < figures["40 fp32"]["written"]


def test_peers_leave_the_other_programs_their_threads(monkeypatch):
    pytest.importorskip("ctranslate2")
    monkeypatch.syspath_prepend(BENCHMARKS)
    from peers import CTranslate2

    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        CTranslate2("tiny", 20, "fp32")
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


def test_glossary(benchmark, tiny_run, tiny_corpus):
    files = [tiny_corpus / "test.en", tiny_corpus / "test.de"]
    printed, figures = benchmark(
        "glossary", tiny_run.directory, "--corpus", *files, "--documents", 2, "--repeats", 1
    )
    assert set(figures) == {"beam search", "no terms", "1 terms", "2 terms"}
    assert figures["no terms"]["tokens"] == figures["beam search"]["tokens"]
    assert "times as long" in printed


def test_markup(benchmark, tiny_run, tmp_path):
    sources = ['two <g id="1">six</g> four', '<x id="1"/>nine one <g id="2">five two</g>']
    targets = ['zwei <g id="1">sechs</g> vier', '<x id="1"/>neun eins <g id="2">fünf zwei</g>']
    files = [tmp_path / "tags.en", tmp_path / "tags.de"]
    for path, lines in zip(files, (sources, targets), strict=True):
        path.write_text("\n".join(lines) + "\n", "utf-8")
    printed, figures = benchmark(
        "markup", tiny_run.directory, "--corpus", *files, "--choices", "--time", "--repeats", 1
    )
    assert figures["tags.en docmt"] == {
        "f1": 1,
        "near": 1,
        "inner_f1": 1,
        "inner_near": 1,
        "valid": 1,
    }
    assert figures["tags.en tags at the end"]["inner_f1"] == 0
    assert "3 tags, 2 of them inner" in printed
    assert "% of search" in printed


def test_overlap(benchmark, tiny_run, tiny_corpus):
    files = [tiny_corpus / "test.en", tiny_corpus / "test.de"]
    printed, figures = benchmark(
        "overlap", tiny_run.directory, "--corpus", *files, "--overlap", 0, 1, "--first", 1
    )
    assert set(figures) == {"0", "1"}
    assert figures["0"]["instances"] < figures["1"]["instances"]
    assert "of them cold" in printed


def test_consistent(benchmark, tiny_run, tiny_corpus):
    files = [tiny_corpus / "test.en", tiny_corpus / "test.de"]
    printed, figures = benchmark(
        "consistent", tiny_run.directory, "--corpus", *files, "--documents", 2, "--learn-from", 9
    )
    assert set(figures) == {"as ever", "consistent, 0.25"}
    assert figures["as ever"]["changed"] == 0
    assert "terms with several translations" in printed


def test_contrast(benchmark, sentences):
    printed, figures = benchmark(
        "contrast",
        *sentences,
        *TINY,
        "--cases",
        3,
        "--candidates",
        2,
        "--sentences",
        2,
        "--repeats",
        1,
    )
    systems = "g-transformer", "transformer"
    assert set(figures) == {f"{system} {way}" for system in systems for way in ("shared", "apart")}
    assert "3 cases, 6 candidates" in printed


def test_model(benchmark, monkeypatch, tmp_path):
    # The first sentences of the test sets that it translates if no others are named.
    monkeypatch.syspath_prepend(BENCHMARKS)
    bundled = runpy.run_path(str(BENCHMARKS / "model.py"), run_name="model")["bundled"]()
    sets = []
    for name, *sides in bundled:
        (document,) = islice(corpora.read(*sides, boundaries="markers"), 1)
        first = Document("d", document.source[:6], document.target[:6])
        files = [tmp_path / f"{name}.{language}" for language in ("en", "de")]
        corpora.write([first], *files)
        sets += ["--set", name, *files]
    printed, figures = benchmark("model", *sets)
    assert set(figures) == {"manuals", "discourses"}
    assert "| manuals | s-BLEU |" in printed
    assert figures["manuals"]["documents"] == 1


def test_sentences_written_for_the_model(benchmark):
    printed, figures = benchmark("model_sentences", "--show")
    assert figures["bundled"]["everyday"].endswith(" of 15")
    assert "Only administrators can delete users.\n  Nur Administratoren" in printed


def test_their_own_translations_pass(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    names = runpy.run_path(str(BENCHMARKS / "model_sentences.py"))
    sentences = list(names["read_sentences"]())
    assert len({one.english for one in sentences}) == 60
    assert not any(one.faults(one.german) for one in sentences)
    assert all(one.faults(one.english) for one in sentences)


@pytest.mark.parametrize(
    ("english", "wrong", "right"),
    [
        (
            "Do not unplug the device",
            "Nehmen Sie das Gerät nicht auf, während das Update ausgeführt wird.",
            "Ziehen Sie während der Aktualisierung nicht den Stecker des Geräts.",
        ),
        (
            "Never share your password",
            "Niemals teilen Sie Ihr Passwort mit jedem beliebigen.",
            "Teilen Sie Ihr Passwort niemals mit anderen.",
        ),
        (
            "The file is too large",
            "Die Datei ist zu groß, die von e-mail gesendet werden soll.",
            "Die Datei ist zu groß für den Versand per E-Mail.",
        ),
        (
            "The table shows",
            "Die Tabelle zeigt, wie viele Aufträge für jeden Kunden platziert hat.",
            "In der Tabelle sehen Sie, wie viele Aufträge jeder Kunde erteilt hat.",
        ),
        (
            "Drag the picture",
            "Ziehen Sie das Bild auf der linken Seite.",
            "Ziehen Sie die Abbildung auf die linke Seite.",
        ),
        (
            "The update takes",
            "Die Aktualisierung wird länger als üblich.",
            "Die Aktualisierung braucht mehr Zeit als sonst.",
        ),
        (
            "Please do not reply",
            "Bitte Bitte antworten nicht zu dieser Nachricht.",
            "Bitte nicht auf diese E-Mail antworten.",
        ),
        (
            "Could you please",
            "Könne du kommst du das Tür schließen?",
            "Könntest du bitte die Tür zumachen?",
        ),
        (
            "The contract may",
            "Der Vertrag kann entweder durch Partei mit drei Monaten beendet werden.",
            "Beide Parteien können den Vertrag mit dreimonatiger Frist kündigen.",
        ),
    ],
)
def test_nonsense_and_the_opposite_do_not_pass(english, wrong, right, monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    names = runpy.run_path(str(BENCHMARKS / "model_sentences.py"))
    (sentence,) = (one for one in names["read_sentences"]() if one.english.startswith(english))
    assert sentence.faults(wrong)
    assert not sentence.faults(right)


@needs_firefox_models
@pytest.mark.slow
def test_real_files(tmp_path):
    file = tmp_path / "figures.json"
    options = ["--sentences", "6", "--repeats", "1", "--json", str(file)]
    command = [sys.executable, str(BENCHMARKS / "real_files.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(file.read_text("utf-8"))["figures"]
    assert list(figures) == ["clean sentences", "corpus.docx", "manuals.po", "translate.md"]
    assert all(row["file"] > 0 and row["alone"] > 0 for row in figures.values())
    assert "words/CPU-s" in done.stdout


def test_files_of_the_benchmark_have_every_sentence(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(BENCHMARKS)
    written = runpy.run_path(str(BENCHMARKS / "real_files.py"))["write_files"](tmp_path, 12)
    texts = {}
    for path in written:
        documents, _ = docmt_files.read(path, "en")
        texts[path.name] = [text for document in documents for text in document.source]
    assert [len(texts[name]) for name in ("corpus.docx", "manuals.po")] == [12, 12]
    assert texts["manuals.po"][0] == "Fixed asset management workspace"
    assert texts["translate.md"][0] == "Translate files"


def test_long_blocks(benchmark):
    printed, figures = benchmark("long_blocks", "--sentences", 5, 10)
    assert {"md", "adoc", "rst", "html"} <= set(figures)
    assert all(set(row) == {"5", "10"} for row in figures.values())
    assert "times as long" in printed


@pytest.mark.slow
def test_prepared_memory(tmp_path):
    file = tmp_path / "figures.json"
    options = ["--times", "1", "2", "--documents", "60", "--json", str(file)]
    command = [sys.executable, str(BENCHMARKS / "prepared_memory.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    once, twice = json.loads(file.read_text("utf-8"))["figures"].values()
    assert twice["pairs"] == 2 * once["pairs"] and twice["instances"] > once["instances"]
    assert 0 < once["start"] < once["vocabulary"] <= once["prepared"]
    assert "dataset, MB" in done.stdout
