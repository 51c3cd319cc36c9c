"""Models are fetched, checked and installed whole, and removed."""

from __future__ import annotations

import errno
import gzip
import hashlib
import shutil
import threading

import pytest
import torch
from safetensors.torch import load_file

import docmt_files.storage.json_files
import docmt_nmt
from docmt.models import Download, InstalledModels, Registry
from docmt.models import downloads as downloads_module
from docmt_files.base.errors import InputError
from docmt_nmt.runs.adapter_names import ADAPTER
from docmt_nmt.runs.system_run import SystemRun
from made_adapters import make_adapter
from registry_server import write_registry

MODEL = "models/en-de/model.ende.intgemm.alphas.bin.gz"
VOCABULARY = "models/en-de/vocab.ende.spm.gz"


def _install(installed, served, pair="en-de"):
    registry = installed.registry(served.registry)
    return installed.install(registry.model(pair), registry)


def _refused(installed, served):
    """The message of a failed installation, which leaves no model."""
    with pytest.raises(InputError) as error:
        _install(installed, served)
    assert installed.all() == []
    assert not list(installed.folder.glob("en-de*"))
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_model_is_installed_listed_used_and_removed(installed, served):
    run = _install(installed, served)
    (model,) = installed.all()
    assert (model.pair, model.languages, model.architecture) == ("en-de", ("en", "de"), "tiny")
    assert model.place == served.registry
    assert run.pipeline.languages == ("en", "de")
    assert isinstance(docmt_nmt.translate_text(docmt_nmt.load(model.directory), "The house."), str)
    assert {path.name for path in installed.folder.iterdir()} == {
        "en-de",
        "hashes.json",
        "registry.copy",
        "registry.json",
    }
    installed.remove("en-de")
    assert installed.all() == []
    with pytest.raises(InputError, match="no model 'en-de' is installed"):
        installed.remove("en-de")


def _with_adapter(served, folder, base):
    """Let the registry name an adapter of a model."""
    path = served.folder / "models" / "en-de" / "adapter.safetensors"
    make_adapter(SystemRun.load(base), path, threshold=0)

    def name_it(registry):
        for entry in registry["models"]["en-de"]:
            entry["files"]["contextAdapter"] = {
                "path": "models/en-de/adapter.safetensors",
                "uncompressedHash": hashlib.sha256(path.read_bytes()).hexdigest(),
            }

    served.rewrite(name_it)


def test_the_context_adapter_that_a_registry_names_is_installed_beside_the_weights(
    installed, served, tmp_path
):
    _install(installed, served)
    base = shutil.copytree(installed.folder / "en-de", tmp_path / "base")
    _with_adapter(served, tmp_path, base)
    _install(installed, served)
    assert (installed.folder / "en-de" / ADAPTER).is_file()
    weights, before = (
        load_file(folder / "weights.safetensors") for folder in (installed.folder / "en-de", base)
    )
    assert weights.keys() == before.keys()
    assert all(torch.equal(weights[name], before[name]) for name in before)


def test_an_adapter_of_another_model_is_not_installed(installed, served, tmp_path):
    _install(installed, served, "de-en")
    _with_adapter(served, tmp_path, installed.folder / "de-en")
    assert "belongs to another model" in _refused_of(installed, served)


def _refused_of(installed, served):
    with pytest.raises(InputError) as error:
        _install(installed, served)
    assert [model.pair for model in installed.all()] == ["de-en"]
    return str(error.value)


def test_a_shortlist_is_not_fetched(installed, served):
    _install(installed, served)
    assert not [path for path, _ in served.asked if "none" in path]


def test_a_second_installation_of_the_same_files_changes_nothing(installed, served):
    directory = _install(installed, served).directory
    inode = directory.stat().st_ino
    assert _install(installed, served).directory.stat().st_ino == inode


def test_an_interrupted_download_goes_on_where_it_ended(installed, served):
    served.cut = 1000
    assert "cannot be reached" in _refused(installed, served)
    served.cut = None
    served.asked.clear()
    _install(installed, served)
    assert (f"/{MODEL}", "bytes=1000-") in served.asked


def test_a_file_that_was_fetched_whole_before_an_interruption_is_not_fetched_again(
    tmp_path, served
):
    content = (served.folder / VOCABULARY).read_bytes()
    path = tmp_path / "vocab"
    path.with_name(".vocab.part").write_bytes(content)
    digest = Download(f"{served.url}/{VOCABULARY}").to(path)
    assert path.read_bytes() == gzip.decompress(content)
    assert digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert served.asked == [(f"/{VOCABULARY}", f"bytes={len(content)}-")]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("uncompressedSize", 10, "is larger than the 10 bytes it should have"),
        ("uncompressedSize", 10**7, "and should have 10,000,000"),
        ("uncompressedHash", "0" * 64, "and should have 0000"),
        ("path", "models/no.bin.gz", "HTTP status 404"),
        ("path", "../../secret.gz", "leads elsewhere"),
        ("path", "http://127.0.0.1:1/x.gz", "leads elsewhere"),
        ("uncompressedSize", -1, "is not a registry of models"),
        ("uncompressedHash", "abc", "is not a registry of models"),
    ],
)
def test_a_registry_that_lies_is_refused(installed, served, key, value, message):
    def change(registry):
        registry["models"]["en-de"][0]["files"]["model"][key] = value

    served.rewrite(change)
    assert message in _refused(installed, served)


def test_a_file_that_is_damaged_or_no_model_is_refused(installed, served):
    path = served.folder / MODEL
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    assert "is damaged or cut off" in _refused(installed, served)
    path.write_bytes(gzip.compress(b"not a model at all"))

    def change(registry):
        file = registry["models"]["en-de"][0]["files"]["model"]
        del file["uncompressedHash"], file["uncompressedSize"]

    served.rewrite(change)
    assert "is not a whole model of Marian" in _refused(installed, served)


def test_hashes_that_the_registry_lacks_are_those_of_the_first_download(installed, served):
    _install(installed, served)
    installed.remove("en-de")
    (served.folder / VOCABULARY).write_bytes(
        (served.folder / "models/de-en/vocab.ende.spm.gz").read_bytes()
    )
    _install(installed, served)  # the same file
    installed.remove("en-de")
    other = gzip.decompress((served.folder / VOCABULARY).read_bytes()) + b"\0"
    (served.folder / VOCABULARY).write_bytes(gzip.compress(other))
    assert "is not the file that it was when it first came" in _refused(installed, served)


def test_two_that_install_at_once_both_end_with_the_model(installed, served):
    errors = []

    def work():
        try:
            _install(installed, served)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [model.pair for model in installed.all()] == ["en-de"]


def test_a_full_disk_leaves_nothing_and_says_so(installed, served, monkeypatch):
    def full(self, part, progress):
        part.write_bytes(b"a" * 100)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(downloads_module.Download, "_fetch", full)
    assert "cannot be written (No space left on device)" in _refused(installed, served)
    assert not list(installed.folder.rglob("*.part"))


def test_without_the_network_the_registry_is_as_it_was_last(installed, served):
    assert installed.known_registry() is None
    installed.registry(served.registry)
    served.server.shutdown()
    served.server.server_close()
    with pytest.raises(InputError, match="cannot be reached"):
        installed.registry(served.registry)
    assert set(installed.known_registry().models) == {"en-de", "de-en"}


def test_a_registry_may_be_a_file_with_its_models_beside_it(installed, tmp_path):
    folder = tmp_path / "mirror"
    folder.mkdir()
    write_registry(folder)
    (folder / "db" / "models.json").rename(folder / "models.json")
    registry = installed.registry(str(folder / "models.json"))
    installed.install(registry.model("de-en"), registry)
    assert [model.pair for model in installed.all()] == ["de-en"]


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"models": []}', '{"models": {"en-de": [{"files": {}}]}}', "[" * 10**5],
)
def test_what_is_no_registry_is_refused(tmp_path, content):
    path = tmp_path / "models.json"
    path.write_text(content)
    with pytest.raises(InputError, match="is not a registry of models"):
        Registry.read(str(path))


def test_the_best_model_that_is_released_comes_first(tmp_path):
    model = {"files": {"model": {"path": "a.bin.gz"}}}
    entries = [
        {"architecture": "base", "releaseStatus": None} | model,
        {"architecture": "tiny", "releaseStatus": "Release"} | model,
        {"architecture": "base-memory", "releaseStatus": "Release Desktop"} | model,
    ]
    path = tmp_path / "models.json"
    path.write_text(docmt_files.storage.json_files.json_text({"models": {"en-pt": entries}}))
    registry = Registry.read(str(path))
    assert registry.model("en-pt").entry.architecture == "base-memory"
    assert registry.model("en-pt", "tiny").entry.architecture == "tiny"
    with pytest.raises(InputError, match="Known: base-memory, tiny, base"):
        registry.model("en-pt", "large")
    with pytest.raises(InputError, match="there is no model 'en-xx'"):
        registry.model("en-xx")


def test_the_folder_is_the_users_cache_folder_unless_a_variable_names_one(monkeypatch, tmp_path):
    monkeypatch.delenv("DOCMT_MODELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert InstalledModels.default().folder == tmp_path / "docmt" / "models"
