"""`docmt models`, and `docmt translate --to`."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt.interop import import_marian
from firefox_models import FOLDERS, needs_firefox_models
from made_adapters import make_adapter
from registry_server import RegistryServer, write_registry


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    folder = tmp_path / "served"
    folder.mkdir()
    server = RegistryServer(folder)
    write_registry(folder, server.url)
    yield server
    server.server.shutdown()


def _run(*arguments, code=0):
    """Run a command. Returns what it printed and what it noted."""
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


def test_models_are_listed_got_used_and_removed(served, tmp_path):
    registry = ("--registry", served.registry)
    assert "de-en\ttiny" in _run("models", *registry)[0]
    told, _ = _run("models", "get", "de-en", *registry)
    assert "Translate with: docmt translate --from de --to en" in told
    path = tmp_path / "a.txt"
    path.write_text("Das Haus ist schön und die Tür ist offen. Wir gehen hinein.\n")
    translated, notes = _run("translate", "--to", "en", str(path))
    assert translated.strip()
    assert "the input is in German (de), it seems" in notes
    listed = json.loads(_run("models", "--json", *registry)[0])
    assert [each["pair"] for each in listed["installed"]] == ["de-en"]
    _run("models", "remove", "de-en")
    _, notes = _run("translate", "--to", "en", str(path), code=2)
    assert "Run `docmt models get de-en` (1 MB, MPL-2.0), or name a --run." in notes


@pytest.mark.slow
@needs_firefox_models
def test_a_file_is_translated_in_context_by_the_adapter_beside_the_model(tmp_path):
    base = import_marian(FOLDERS["enpt"], tmp_path / "base")
    adapter = tmp_path / "adapter.safetensors"
    make_adapter(base, adapter, threshold=0)
    path = tmp_path / "a.txt"
    path.write_text("The house is old.\nDid you see the door?\nYes, I did.\nIt is late.\n")
    own = ["--run", str(base.directory), "-o", "-", str(path)]
    alone, _ = _run("translate", *own)
    given, notes = _run("translate", *own, "--context", str(adapter))
    assert given != alone
    assert given.split("\n")[0] == alone.split("\n")[0]
    assert "the sentences before decided" in notes
    shutil.copy(adapter, base.directory / "context_adapter.safetensors")
    assert _run("translate", *own, "--context", "auto")[0] == given
    # By default it is off.
    assert _run("translate", *own)[0] == alone
    refused = ["--run", "bundled:en-de", "--context", str(adapter), "-o", "-", str(path)]
    assert "belongs to another model" in _run("translate", *refused, code=2)[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "fr", "--run", "bundled:en-de"], "does not translate into 'fr'"),
        (["--to", "de,fr,de"], "a language is twice in --to"),
        (["--to", "de,fr", "-"], "standard input and output are of one language"),
        (["--to", "de,fr", "-o", "a.de.txt"], "Write {to} in the name given as --output"),
        (["--to", "de", "-"], "the language of standard input is not detected"),
        (["--to", "Deutsch"], "'Deutsch' is not a valid language code"),
    ],
)
def test_what_cannot_be_meant_is_refused(served, tmp_path, options, message):
    path = tmp_path / "a.txt"
    path.write_text("The house is beautiful, and the door is open.\n")
    inputs = [] if "-" in options else [str(path)]
    assert message in _run("translate", *options, *inputs, code=2)[1]


@pytest.mark.slow
def test_a_model_that_is_compiled_as_it_is_got_is_used_at_once(served, tmp_path, monkeypatch):
    for package in ("onnx", "onnxscript", "onnxruntime"):
        pytest.importorskip(package)
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    told, _ = _run("models", "get", "en-de", "--compile", "--registry", served.registry)
    assert told.startswith("en-de: tiny")
    text = tmp_path / "text.txt"
    text.write_text("The house.\n", "utf-8")
    languages = ["--from", "en", "--to", "de"]
    options = ["--precision", "int8", "--compiled", "always", "-o", "-"]
    _, notes = _run("translate", *languages, *options, str(text))
    assert "in the compiled form, in int8" in notes
