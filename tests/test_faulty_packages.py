"""Packages with faults: each is an error that names the package, and docmt works without it."""

import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import load_command, main
from docmt_files import external_reader
from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.evaluation.metrics import metric_kind
from docmt_nmt.systems import system_class
from installing import install


@pytest.fixture(autouse=True)
def _forget_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no system and no command of another package to the tests after this one."""
    monkeypatch.setattr("docmt_nmt.systems.system_registry._loaded", {})
    load_command.cache_clear()


def docmt(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


BROKEN = {
    "docmt.systems": {
        "absent-system": "no_such_module:System",
        "leaving-system": "leaving:System",
        "text-system": "string:digits",
        "nameless-system": "docmt_nmt.systems:EncoderDecoder",
        "renamed-system": "docmt_nmt.systems.g_transformer:GTransformer",
        "transformer": "no_such_module:System",
    },
    "docmt.formats": {"absent": "no_such_module:read", "text": "string:digits", "html": "x:y"},
    "docmt.metrics": {
        "absent-metric": "no_such_module:METRIC",
        "text-metric": "string:digits",
        "s-bleu": "no_such_module:METRIC",
    },
}


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of which every entry point has a fault, and another with one of its names."""
    for name, points in (
        ("broken", BROKEN),
        ("second", {"docmt.metrics": {"twice": "string:digits"}}),
        ("third", {"docmt.metrics": {"twice": "string:digits"}}),
    ):
        (tmp_path / name).mkdir()
        install(tmp_path / name, name, points)
        monkeypatch.syspath_prepend(tmp_path / name)
    (tmp_path / "broken" / "leaving.py").write_text("raise SystemExit(7)\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent-system", r"of the package broken cannot be imported \(ModuleNotFoundError: No "),
        ("leaving-system", r"package broken cannot be imported \(SystemExit: 7\)\. Update or un"),
        ("text-system", r"of the package broken is not a subclass of docmt_nmt\.systems\.System"),
        ("nameless-system", "of the package broken has no settings_class"),
        ("renamed-system", "has settings with the name 'g-transformer', not 'renamed-system'"),
        (
            "nowhere-system",
            r"unknown system 'nowhere-system'\. .*packages can add systems; `docmt p",
        ),
        (
            "hybrid-contexts",
            r"Did you mean 'hybrid-context'\? Other packages can add systems; `doc",
        ),
    ],
)
@pytest.mark.usefixtures("broken")
def test_a_system_that_cannot_be_used_is_an_error_that_names_its_package(
    name: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        recipes.load("demo-sentence", [f"system.name={name}"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent-metric", "the metric 'absent-metric' of the package broken cannot be imported"),
        ("text-metric", r"of the package broken is not a docmt_nmt\.evaluation\.CustomMetric"),
        ("twice", r"packages second and third both have a metric 'twice'\. Uninstall one of them"),
        ("s-blue", r"unknown metric 's-blue'. Did you mean 's-bleu'\? .*packages can add metrics"),
    ],
)
@pytest.mark.usefixtures("broken")
def test_a_metric_that_cannot_be_used_is_an_error_that_names_its_package(
    name: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        metric_kind(name)


@pytest.mark.parametrize(
    ("suffix", "message"),
    [
        ("absent", "the format 'absent' of the package broken cannot be imported"),
        ("text", r"the format 'text' of the package broken is not a function read\(path, "),
    ],
)
@pytest.mark.usefixtures("broken")
def test_a_format_that_cannot_be_used_is_an_error_that_names_its_package(
    suffix: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        external_reader(f"letter.{suffix}")
    assert external_reader("letter.txt") is external_reader("-") is external_reader("a.nix") is None
    assert external_reader("page.html") is None


@pytest.mark.usefixtures("broken")
def test_names_of_docmt_are_never_taken_from_another_package() -> None:
    assert system_class("transformer").__module__ == "docmt_nmt.systems.transformer"
    assert metric_kind("s-bleu").family == "BLEU"
    recipes.load("demo-sentence")
    listed = docmt("plugins").stdout.splitlines()
    assert (
        "docmt.systems\ttransformer\tbroken\tno_such_module:System\tnot used: docmt has this name "
        "itself"
    ) in listed
    assert (
        "docmt.metrics\ttwice\tsecond\tstring:digits\tnot used: several packages have this name"
    ) in listed
    assert "docmt.formats\thtml\tbroken\tx:y\tnot used: docmt has this name itself" in listed
    assert "docmt.metrics\tabsent-metric\tbroken\tno_such_module:METRIC" in listed


WRONG = """
from docmt_nmt.evaluation import CustomMetric
from docmt_nmt import Document
from docmt_files import Skeleton


def refuse(*_):
    raise KeyError("no such key")


class File:
    def fill(self, documents):
        return b"bytes"


DOCUMENT = Document("d", ("one", "two"))
READERS = {
    "raises": refuse,
    "nothing": lambda path, language: None,
    "texts": lambda path, language: (["one"], Skeleton(("", ""), ())),
    "numbers": lambda path, language: ([Document("d", (1, 2))], File()),
    "noskeleton": lambda path, language: ([DOCUMENT], "skeleton"),
    "bytes": lambda path, language: ([DOCUMENT], File()),
    "misfit": lambda path, language: ([DOCUMENT], Skeleton(("", ""), (("d", 2),))),
}
METRICS = {
    name: CustomMetric(name, "sentence", score, settings="1")
    for name, score in {
        "raising": refuse,
        "nan": lambda *_: float("nan"),
        "infinite": lambda *_: float("inf"),
        "textual": lambda *_: "much",
        "none": lambda *_: None,
    }.items()
}
METRICS["unitless"] = CustomMetric("unitless", "word", refuse, settings="1")
globals().update(READERS, **METRICS)
"""
RETURNED = {
    "raises": r"fails \(KeyError: 'no such key'\)",
    "nothing": "returns a value of the type NoneType, not documents and a skeleton",
    "texts": "returns a value of the type str among its documents",
    "numbers": "has a value of the type int where text should be",
    "noskeleton": "a value of the type str, not a skeleton",
    "bytes": "fills a file with a value of the type bytes",
    "misfit": "fails",
    "raising": r"fails \(KeyError: 'no such key'\)",
    "nan": "returns nan, which is not a finite number",
    "infinite": "returns inf, which is not a finite number",
    "textual": "returns 'much', which is not a finite number",
    "none": "returns None, which is not a finite number",
    "unitless": "has no valid unit",
}


@pytest.mark.parametrize("name", RETURNED)
def test_what_another_package_returns_is_checked(name, tmp_path, monkeypatch):
    (tmp_path / "wrong.py").write_text(WRONG)
    formats = ("raises", "nothing", "texts", "numbers", "noskeleton", "bytes", "misfit")
    groups = {
        "docmt.formats": {key: f"wrong:{key}" for key in formats},
        "docmt.metrics": {key: f"wrong:{key}" for key in RETURNED if key not in formats},
    }
    install(tmp_path, "docmt-wrong", groups)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "wrong", raising=False)
    file = tmp_path / f"letter.{name}"
    file.write_text("one\n")
    if name in formats:
        result = docmt("translate", "--run", "bundled:en-de", file, "-o", tmp_path / f"out.{name}")
    else:
        lines = ("--hypothesis", tmp_path / "a.txt", "--reference", tmp_path / "a.txt")
        (tmp_path / "a.txt").write_text("one\n")
        result = docmt("evaluate", *lines, "--metric", name, "--json")
    assert result.exit_code == 2, result.output
    assert re.search(f"the (format|metric) '{name}' of the package docmt-wrong", result.stderr)
    assert re.search(RETURNED[name], result.stderr), result.stderr
    assert not (tmp_path / f"out.{name}").exists()


def test_a_metric_in_a_recipe_must_be_one_that_is_installed() -> None:
    with pytest.raises(InputError, match=r"unknown metric\. Did you mean 's-bleu'\? .*'s-blue'"):
        recipes.load("demo-sentence", ["evaluation.metrics=[s-blue]"])
