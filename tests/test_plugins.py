"""Systems, formats and metrics of other packages: the package of the guide, built and used from the
command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from docmt.cli import load_command, main
from docmt_files.base import entry_points
from docmt_files.base.errors import InputError
from docmt_nmt import load as docmt_load
from docmt_nmt import recipes
from docmt_nmt.recipes.loading import dump
from docmt_nmt.runs.run import Run
from docmt_serve.cli.served_models import load_models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.web.app import make_app
from installing import install
from toy import toy_recipe

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "extend.md"
FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A file of the package in the guide: its path, and a block with its text."""


@pytest.fixture(autouse=True)
def _forget_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no system and no command of another package to the tests after this one."""
    monkeypatch.setattr("docmt_nmt.systems.system_registry._loaded", {})
    load_command.cache_clear()


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the package of the guide is installed."""
    folder = tmp_path_factory.mktemp("site")
    files = dict(FILE.findall(PAGE.read_text(encoding="utf-8")))
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    project = tomllib.loads(files["pyproject.toml"])["project"]
    install(folder, project["name"], project["entry-points"])
    return folder


def docmt(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_the_package_of_the_guide_trains_translates_and_scores(
    example: Path, tinier_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(example)
    monkeypatch.chdir(tmp_path)
    recipe = toy_recipe(
        tinier_corpus,
        system={"name": "alternating", "layers": 2, "global_every": 2},
        evaluation={"metrics": ["s-bleu", "length-ratio"]},
    )
    Path("mine.yaml").write_text(dump(recipe))
    assert recipes.load("demo-alternating").system.name == "alternating"
    shown = docmt("recipes", "show", "mine.yaml")
    assert "  # Every layer whose number is a multiple of this attends to the whole" in shown.output
    trained = docmt("train", "mine.yaml", "--run", "run", "--quiet")
    assert trained.exit_code == 0, trained.output

    Path("messages.lang").write_text("# numbers\nfirst = one two\n\nsecond=three\n")
    translated = docmt("translate", "--run", "run", "messages.lang", "-o", "out.lang")
    assert translated.exit_code == 0, translated.output
    lines = Path("out.lang").read_text().split("\n")
    assert (lines[0], lines[2], lines[4]) == ("# numbers", "", "")
    assert lines[1].startswith("first = ") and lines[3].startswith("second=")

    test = [f"{tinier_corpus}/test.{side}" for side in ("en", "de")]
    docmt("translate", "--run", "run", "--segmented", test[0], "-o", "test.out.de")
    found = docmt(
        "evaluate", "--hypothesis", "test.out.de", "--reference", test[1], "--run", "run", "--json"
    )
    assert found.exit_code == 0, found.output
    bleu, ratio = json.loads(found.stdout)["scores"]
    assert (bleu["name"], ratio["name"]) == ("s-BLEU", "length-ratio")
    assert 0 < ratio["score"] < 1000
    assert ratio["signature"].endswith("nrefs:1|case:mixed|characters|version:1")


def test_the_translator_of_the_guide_is_a_run_as_any_other(
    example: Path, tinier_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(example)
    monkeypatch.chdir(tmp_path)
    sides = {"source": "en", "target": "de"}
    corpus = [f"data.test.{side}={tinier_corpus}/test.{code}" for side, code in sides.items()]
    imported = docmt(
        "import", "translator", "glossing", "settings.words.one=eins", *corpus, "--run", "run"
    )
    assert imported.exit_code == 0, imported.output

    Path("in.html").write_text("<p>one <b>two</b></p>")
    translated = docmt("translate", "--run", "run", "in.html", "-o", "out.html")
    assert (translated.exit_code, Path("out.html").read_text()) == (0, "<p>eins <b>two</b></p>")
    refused = docmt("translate", "--run", "run", "in.html", "--beam-size", "2", "-o", "b.html")
    assert refused.exit_code == 2 and "--beam-size has no effect with run" in refused.stderr

    evaluated = docmt("evaluate", "--run", "run", "--split", "test", "--json")
    assert evaluated.exit_code == 0, evaluated.output
    assert json.loads(evaluated.stdout)["scores"]
    reported = docmt("report", "run", "-o", "report")
    assert reported.exit_code == 0, reported.output
    assert "glossing" in Path("report/index.html").read_text()

    service = Service.of(ServiceSettings(), load_models(["run"], {"beam_size": 2}), tmp_path)
    with TestClient(make_app(service), "http://localhost") as client:
        answer = client.post("/translate", json={"q": "one two", "source": "en", "target": "de"})
    assert answer.json()["translatedText"] == "eins two"


def test_the_importer_of_the_guide_makes_a_run(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(example)
    monkeypatch.delitem(sys.modules, "docmt.cli.import_", raising=False)  # It lists the importers.
    monkeypatch.chdir(tmp_path)
    Path("words.tsv").write_text("one\teins\ntwo\tzwei\n")
    imported = docmt("import", "word-list", "words.tsv", "--run", "run")
    assert imported.exit_code == 0, imported.output
    Path("in.txt").write_text("one two three\n")
    docmt("translate", "--run", "run", "in.txt", "-o", "out.txt")
    assert Path("out.txt").read_text() == "eins zwei three\n"


COMMAND = """
import typer


def count(path: str, *, twice: bool = False) -> None:
    \"\"\"Count the lines of a file.\"\"\"
    typer.echo(len(open(path).readlines()) * (2 if twice else 1))
"""


ENTRY = """
from docmt.cli.command_entry import CommandEntry

COUNT = CommandEntry("Numbers", "Count lines.", "counting:count")
"""

T5 = ["translator=t5", "settings.model=google/madlad400-3b-mt"]


def test_a_command_of_another_package_runs_as_one_of_docmt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counting.py").write_text(COMMAND)
    install(tmp_path, "docmt-counting", {"docmt.commands": {"count": "counting:count"}})
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "lines.txt"
    file.write_text("one\ntwo\n")
    ran = docmt("count", file, "--twice")
    assert (ran.exit_code, ran.stdout) == (0, "4\n")
    assert "Count the lines of a file." in docmt("count", "--help").stdout
    overview = docmt("--help").stdout
    assert "docmt-counting" in overview and "count " in overview
    assert docmt("count", file, "--thrice").exit_code == 2
    assert "docmt.commands\tcount\tdocmt-counting\tcounting:count" in docmt("plugins").stdout


def test_a_command_names_its_line_in_the_help_without_being_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counting.py").write_text(COMMAND)
    (tmp_path / "counting_entries.py").write_text(ENTRY)
    install(tmp_path, "docmt-counting", {"docmt.commands": {"count": "counting_entries:COUNT"}})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "counting", raising=False)
    overview = docmt("--help").stdout
    assert "Numbers:\n  count  Count lines.\n" in overview
    assert "counting" not in sys.modules
    file = tmp_path / "lines.txt"
    file.write_text("one\ntwo\n")
    assert docmt("count", file, "--twice").stdout == "4\n"


def test_a_faulty_command_leaves_the_help_to_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "docmt-counting", {"docmt.commands": {"count": "no_such_module:count"}})
    monkeypatch.syspath_prepend(tmp_path)
    assert "count " in docmt("--help").stdout
    ran = docmt("count", "x")
    assert ran.exit_code == 2 and "of the package docmt-counting cannot be" in ran.stderr


@pytest.mark.parametrize(
    ("command", "package"),
    [("sweep", "docmt-research"), ("serve", "docmt-serve"), ("tune-document-lm", "docmt-llm")],
)
def test_a_command_says_what_to_install_where_its_package_is_missing(
    command: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docmt_files.base.entry_points._entry_points", lambda _group: [])
    result = docmt(command)
    assert result.exit_code == 2
    assert f"pip install {package}" in result.stderr
    assert docmt("swep").exit_code == 2


@pytest.mark.parametrize(
    ("recipe", "overrides"),
    [
        ("language-model", []),
        ("demo-sentence", ["system.name=language-model"]),
        ("demo-sentence", ["system.name=language-model", "system.model=m"]),
    ],
)
def test_a_recipe_of_a_language_model_says_what_to_install_where_that_is_missing(
    recipe: str, overrides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docmt_files.base.entry_points._entry_points", lambda _group: [])
    monkeypatch.setattr("docmt_nmt.recipes.bundle._folders", [])
    with pytest.raises(InputError, match="in the package docmt-llm, which is not installed"):
        recipes.load_any(recipe, overrides)


def test_a_run_of_t5_says_what_to_install_where_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.make(tmp_path / "run", recipes.load_any("language-model", T5))
    monkeypatch.setattr("docmt_files.base.entry_points._entry_points", lambda _group: [])
    with pytest.raises(InputError, match="the translator 't5' is in the package docmt-llm"):
        docmt_load(run.directory)


SHOUT = """
from dataclasses import dataclass, replace

from docmt_nmt.translators import TranslatorDecorator
from docmt_nmt.translators.decorator_options import DecoratorOption


@dataclass(frozen=True)
class Shouting(TranslatorDecorator):
    mark: str = "!"

    def translate(self, request, **keys):
        found = self.translator.translate(request, **keys)
        return [each.with_best([f"{text}{self.mark}" for text in each.document.target])
                for each in found]


SHOUT = DecoratorOption(
    "MARK", "A mark after each sentence.", lambda mark: lambda below: Shouting(below, mark),
    lambda below: True,
)
"""


def test_a_decorator_of_another_package_is_an_option_of_the_commands(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shouting_marks.py").write_text(SHOUT)
    install(tmp_path, "docmt-shout", {"docmt.decorators": {"shout-mark": "shouting_marks:SHOUT"}})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(example)
    monkeypatch.chdir(tmp_path)
    docmt("import", "translator", "glossing", "settings.words.one=eins", "--run", "run")
    Path("in.txt").write_text("one two\n")
    made = docmt("translate", "--run", "run", "in.txt", "--shout-mark", "?", "-o", "out.txt")
    assert made.exit_code == 0, made.stderr
    assert Path("out.txt").read_text() == "eins two?\n"


def test_settings_of_a_translator_of_another_package_are_explained_and_checked(
    example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(example)
    own = ["translator=glossing", "data.source_language=en", "data.target_language=de"]
    assert "settings.words" in docmt("recipes", "keys", "glossing").output
    assert recipes.load_any(None, [*own, "settings.words.a=b"]).settings.words == {"a": "b"}
    with pytest.raises(InputError, match=r"'settings.wrods', did you mean 'words'"):
        recipes.load_any(None, [*own, "settings.wrods.a=b"])


def test_keys_of_a_system_of_another_package_are_explained(
    example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(example)
    keys = docmt("recipes", "keys", "alternating")
    assert "system.global_every: integer ≥ 1, default 2" in keys.output
    assert "system.d_model" in keys.output


def test_a_wrong_key_of_a_system_of_another_package_is_reported_with_the_nearest(
    example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(example)
    with pytest.raises(InputError, match=r"'system.global_evry', did you mean 'global_every'\?"):
        recipes.load("demo-document", ["system.name=alternating", "system.global_evry=2"])
    with pytest.raises(InputError, match=r"key 'system.global_every': .*greater than or equal"):
        recipes.load("demo-document", ["system.name=alternating", "system.global_every=0"])


def test_what_is_installed_is_listed_and_imported_only_when_asked_for(example: Path) -> None:
    code = (
        "import sys; from docmt_files.base import entry_points; "
        "from docmt_files import FORMAT_PLUGINS; from docmt_nmt.base.plugin_groups import METRICS; "
        "print([str(plugin) for plugin in entry_points.installed(METRICS, FORMAT_PLUGINS)]); "
        "print('docmt_example' in sys.modules); "
        "entry_points.load(METRICS, 'length-ratio'); "
        "print('docmt_example' in sys.modules)"
    )
    environment = {"PYTHONPATH": f"{example}:{Path(entry_points.__file__).parents[2]}"}
    listed, before, after = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert "the metric 'length-ratio' of the package docmt-example" in listed
    assert "the format 'lang' of the package docmt-example" in listed
    assert (before, after) == ("False", "True")


def test_the_package_of_the_guide_names_its_folder_so_that_others_may_lie_beside_it():
    files = dict(FILE.findall(PAGE.read_text(encoding="utf-8")))
    packages = tomllib.loads(files["pyproject.toml"])["tool"]["setuptools"]["packages"]
    folders = {Path(name).parent for name in files if name.endswith(".py")}
    assert packages == sorted(".".join(folder.parts) for folder in folders)
