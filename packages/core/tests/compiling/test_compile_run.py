"""`docmt compile`: real graphs of real runs, translated with by ONNX Runtime."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import docmt_nmt
from docmt.cli import main
from docmt_files.base.errors import InputError
from docmt_nmt.compiling.compiled_checks import documents_to_check
from firefox_models import FOLDERS, needs_firefox_models

TORCHLESS = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, Hidden())
"""
"""A program in which torch is not installed."""

ON_THE_WAY = [
    "docmt.alignment.code_alignment",
    "docmt.cli.translate",
    "docmt_nmt.decoding.beam_search_translator",
    "docmt_nmt.decoding.compiled_search",
    "docmt_nmt.decoding.constrained_beams",
    "docmt_nmt.runs.open_run",
    "docmt.translating.file_translation",
]
"""The modules of a translation with a compiled run."""


def without_torch(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", TORCHLESS + code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_nothing_on_the_way_of_a_compiled_translation_imports_torch():
    without_torch("".join(f"import {name}\n" for name in ON_THE_WAY))


@pytest.fixture(scope="module")
def bundled(tmp_path_factory) -> Path:
    """A copy of the bundled model, compiled in fp32."""
    from docmt_nmt.compiling.compile_run import compile_run
    from docmt_nmt.runs.bundled import resolve
    from docmt_nmt.runs.system_run import SystemRun

    run = tmp_path_factory.mktemp("compiled") / "en-de"
    shutil.copytree(resolve("bundled:en-de"), run)
    compile_run(SystemRun.load(run), "fp32")
    return run


DOCUMENT = docmt_nmt.Document(
    "one", ("Open the file.", "It is read-only.", "Save it under another name, and close it.")
)


@pytest.mark.slow
def test_a_document_is_translated_as_by_pytorch(bundled):
    eager, compiled = (docmt_nmt.load(bundled, compiled=use) for use in ("never", "always"))
    (expected,), (found,) = (each.translate([DOCUMENT]) for each in (eager, compiled))
    assert found.document.target == expected.document.target
    assert found.log_probabilities == pytest.approx(expected.log_probabilities, abs=1e-3)


@pytest.mark.slow
def test_terms_and_alternatives_are_those_of_pytorch(bundled):
    from docmt_nmt.translators.glossary import Glossary, Term

    request = docmt_nmt.TranslationRequest(
        [DOCUMENT], glossary=Glossary((Term(("file",), ("Akte",)),)), n_best=2
    )
    eager, compiled = (docmt_nmt.load(bundled, compiled=use) for use in ("never", "always"))
    (expected,), (found,) = (each.translate(request) for each in (eager, compiled))
    assert found.document.target == expected.document.target
    assert "Akte" in str(found.document.target)
    assert [a.sentences for a in found.alternatives] == [a.sentences for a in expected.alternatives]


@pytest.mark.slow
def test_the_choice_is_in_the_fingerprint_and_in_a_note(bundled):
    eager, compiled = (docmt_nmt.load(bundled, compiled=use) for use in ("never", "auto"))
    request = docmt_nmt.TranslationRequest([DOCUMENT])
    assert eager.fingerprint(request) != compiled.fingerprint(request)
    (note,) = (n for n in compiled.notes(request, compiled.translate(request)) if "compiled" in n)
    assert "fp32" in note


@pytest.mark.slow
def test_words_are_aligned_as_by_pytorch(bundled):
    from docmt.alignment.by_attention import AttentionAligner

    (translation,) = docmt_nmt.load(bundled, compiled="never").translate([DOCUMENT])
    found = [
        AttentionAligner(docmt_nmt.load(bundled, compiled=use)).align([translation.document])[0]
        for use in ("never", "always")
    ]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(other.weights, one.weights, atol=1e-4)


@pytest.mark.slow
def test_a_compiled_run_translates_where_torch_is_not_installed(bundled, tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<p>Open the <b>file</b>, and see <a href="x">the page</a>.</p>', "utf-8")
    code = "from docmt.cli import main\nmain(sys.argv[1:])"
    found = without_torch(code, "translate", str(page), "--run", str(bundled), "-o", "-")
    assert "<b>" in found and '<a href="x">' in found
    assert "Datei" in found


@pytest.mark.slow
def test_graphs_of_other_weights_are_refused_by_name(bundled, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(bundled, run)
    weights = run / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    with pytest.raises(InputError, match="compiled from other weights") as caught:
        docmt_nmt.load(run, compiled="always")
    assert "docmt compile" in caught.value.cure
    # Without the graphs, the run translates as before; a note says why.
    translator = docmt_nmt.load(run)
    assert "compiled from other weights" in " ".join(
        translator.notes(docmt_nmt.TranslationRequest([DOCUMENT]), translator.translate([DOCUMENT]))
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["step.onnx", "manifest.json"])
def test_damaged_files_are_refused_by_name(bundled, tmp_path, name):
    run = tmp_path / "run"
    shutil.copytree(bundled, run)
    path = run / "compiled" / "fp32" / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(InputError) as caught:
        docmt_nmt.load(run, compiled="always")
    assert name in str(caught.value)


@pytest.mark.slow
def test_a_run_in_another_precision_is_not_mistaken_for_a_compiled_one(bundled):
    assert docmt_nmt.load(bundled, precision="bf16").compiled is None
    with pytest.raises(InputError, match="compiled in fp32, and the search is in int8"):
        docmt_nmt.load(bundled, precision="int8", compiled="always")


@pytest.mark.slow
def test_a_run_that_was_compiled_without_a_shortlist_is_named_and_refused(bundled):
    with pytest.raises(InputError, match="compiled form in fp32 has no shortlist") as caught:
        docmt_nmt.load(bundled, shortlist=True)
    assert caught.value.path == bundled
    assert "as shortlist" in caught.value.cure


@pytest.mark.slow
def test_compiling_in_eight_bits_says_how_many_sentences_are_as_in_fp32(tiny_run, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(tiny_run.directory, run)
    result = CliRunner().invoke(main, ["compile", "--run", str(run)], catch_exceptions=False)
    alike = re.search(r"(\d+) of 20 sentences are translated as in fp32\.", result.output)
    eager, compiled = (
        docmt_nmt.load(run, precision=precision, compiled=when)
        for precision, when in (("fp32", "never"), ("int8", "always"))
    )
    documents = documents_to_check(tiny_run.recipe.data.source_language)
    pairs = [
        pair
        for one, other in zip(
            eager.translate(documents), compiled.translate(documents), strict=True
        )
        for pair in zip(one.document.target, other.document.target, strict=True)
    ]
    assert alike is not None and int(alike[1]) == sum(one == other for one, other in pairs)


@pytest.mark.slow
@needs_firefox_models
def test_a_model_of_firefox_in_eight_bits_translates_alone_as_together(tmp_path):
    from docmt.interop import import_marian
    from docmt_nmt.compiling.compile_run import compile_run
    from docmt_nmt.runs.system_run import SystemRun

    run = tmp_path / "en-pt"
    import_marian(FOLDERS["enpt"], run)
    (shortlist,) = FOLDERS["enpt"].glob("lex.*.bin")
    compile_run(SystemRun.load(run), "int8", shortlist=shortlist)
    manifest = json.loads((run / "compiled" / "int8" / "manifest.json").read_text("utf-8"))
    assert manifest["checked_sentences"] == 20
    translator = docmt_nmt.load(run, precision="int8", compiled="always")
    (together,) = translator.translate([DOCUMENT])
    alone = [
        translator.translate([docmt_nmt.Document("d", (sentence,))])[0].document.target[0]
        for sentence in DOCUMENT.source
    ]
    assert list(together.document.target) == alone
    assert alone[0] == "Abra o arquivo."
    # Over the shortlist, common words come out the same.
    listed = docmt_nmt.load(run, precision="int8", shortlist=True)
    (found,) = listed.translate([DOCUMENT])
    assert found.document.target[0] == alone[0]
    request = docmt_nmt.TranslationRequest([DOCUMENT])
    assert "over a lexical shortlist" in " ".join(listed.notes(request, [found]))
    assert listed.fingerprint(request) != translator.fingerprint(request)
