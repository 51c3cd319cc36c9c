"""The README and the guides: what they show runs, what they name is there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Template
from typer.main import get_command

import docmt
from docmt.cli import load_command, main
from docmt.in_context.context_option import CONTEXT
from docmt.interop import import_marian
from docmt_nmt import recipes
from docmt_nmt.recipes.yaml_source import parse_value
from docmt_nmt.systems import system_names
from docmt_research.sweeps.points import expand
from docmt_research.sweeps.sweep_settings import bundled_sweeps, read_sweep
from firefox_models import FOLDERS, needs_firefox_models

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("packages/*/*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)|^\[[^\]]+\]: ([^#\s]+)", re.MULTILINE)
"""Where a link in the text or a definition of a link leads."""
REPOSITORY = "https://github.com/docmt/docmt/blob/main/"
SECTIONS = "data|text|instances|system|initialize|training|search|evaluation"
KEY = re.compile(rf"`((?:{SECTIONS})\.\w[\w.]*)(?:: [^`]+)?`")
"""A key of a recipe, alone or with a value."""

RUNNABLE = [
    "README.md",
    "docs/getting-started.md",
    "docs/concepts/architecture.md",
    "docs/concepts/attention.md",
    "docs/concepts/discourse.md",
    "docs/concepts/scores.md",
    "docs/concepts/text.md",
    "docs/how-to/evaluate.md",
    "docs/how-to/look-inside.md",
    "docs/how-to/measure-context.md",
    "docs/how-to/translate.md",
    "docs/how-to/use-a-glossary.md",
]
"""The pages with examples in Python that run on a small corpus."""


def name(value: object) -> str:
    """A page or a command as the id of a test."""
    return str(value.relative_to(ROOT)) if isinstance(value, Path) else str(value)


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The fenced blocks of a page: language and text."""
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield match[1], match[2]


def commands() -> list[tuple[Path, str]]:
    """All `docmt` commands in the pages' blocks, on one line each."""
    found = []
    for page in PAGES:
        for language, text in blocks(page):
            if language in ("", "sh", "console"):
                for line in text.replace("\\\n", " ").splitlines():
                    if command := re.search(r"(?:^|\| |\$ |-m )docmt .*", line):
                        found.append((page, command[0][command[0].index("docmt") :]))
    return found


def links(page: Path) -> list[str]:
    """Where the links of a page lead, apart from links shown as code."""
    text = re.sub(r"`[^`\n]+`", "", page.read_text(encoding="utf-8"))
    return [match[1] or match[2] for match in LINK.finditer(text)]


def test_there_are_commands_to_check() -> None:
    assert len(commands()) > 20


@cache
def command_line() -> Any:
    """All commands; to build them takes long."""
    return get_command(main)


def parsed(command: str) -> dict[str, Any]:
    """The parameters of a command, as the command line takes them."""
    _, *arguments = shlex.split(command, comments=True)
    parser, path = command_line(), "docmt"
    while getattr(parser, "commands", {}).get(arguments[0] if arguments else None):
        name = arguments.pop(0)
        parser = load_command(name) if path == "docmt" else parser.commands[name]
        path += f" {name}"
    return dict(parser.make_context(path, arguments).params)


@pytest.mark.parametrize(("page", "command"), commands(), ids=name)
def test_every_documented_command_is_one_that_the_command_line_takes(
    page: Path, command: str
) -> None:
    parameters = parsed(command)
    if (recipe := parameters.get("recipe")) in recipes.names():
        overrides = list(parameters.get("overrides") or [])
        if command.startswith("docmt import translator"):
            overrides.insert(0, f"translator={parameters['name']}")
        recipes.load_any(recipe, overrides)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in links(page):
        if target.startswith(REPOSITORY):
            assert (ROOT / target.removeprefix(REPOSITORY)).exists(), target
        elif "://" not in target:
            assert (page.parent / target).exists(), target


def test_links_of_the_readme_also_lead_somewhere_from_a_package_index() -> None:
    targets = links(ROOT / "README.md")
    assert targets and all("://" in target for target in targets)


def test_the_readme_defines_the_links_that_it_uses() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    used = re.findall(r"\]\[([^\]]+)\]", text)
    assert set(used) == set(re.findall(r"^\[([^\]]+)\]: ", text, re.MULTILINE))


def test_the_first_commands_of_the_readme_do_all_set_up() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^ {4}(\w+ \w+)", text, re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{command.split()[1]}: install" in makefile for command in commands[:2])


@needs_firefox_models
def test_the_readme_shows_what_a_model_of_firefox_writes(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("| `guide.md` |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ((?!---).*) \| (.*) \|$", table, re.MULTILINE)
    source, target = ("\n\n".join(cells).replace("`", "") for cells in zip(*rows, strict=True))
    (tmp_path / "guide.md").write_text(f"{source}\n", encoding="utf-8")
    output = tmp_path / "guia.md"
    translator = docmt.load(import_marian(FOLDERS["enpt"], tmp_path / "run"), precision="fp32")
    docmt.translate_files(translator, [str(tmp_path / "guide.md")], [str(output)])
    assert output.read_text(encoding="utf-8") == f"{target}\n"


@needs_firefox_models
def test_the_readme_shows_what_the_sentence_before_decides(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("| `dialog.txt` |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ((?!---).*) \| (.*) \| (.*) \|$", table, re.MULTILINE)
    plain = [[re.sub(r" \*\(.*\)\*|\*\*", "", cell) for cell in row] for row in rows]
    source, *expected = map(list, zip(*plain, strict=True))
    base = docmt.load(import_marian(FOLDERS["enpt"], tmp_path / "run"), precision="fp32")
    in_context = CONTEXT.load("bundled:en-pt")(base)
    found = [docmt.translate_text(each, source) for each in (base, in_context)]
    assert found == expected


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_recipe_and_sweep_in_the_pages_is_valid(page: Path, tmp_path: Path) -> None:
    for number, (language, text) in enumerate(blocks(page)):
        if language != "yaml":
            continue
        values, _ = parse_value(text, page.name)
        if "jobs" in values:  # a workflow of GitHub
            continue
        path = tmp_path / f"{number}.yaml"
        if "axes" in values:
            path.write_text(text, encoding="utf-8")
            assert expand(read_sweep(path), path)
            continue
        if "extends" not in values:
            text += "extends: g-transformer\n"
        path.write_text(text, encoding="utf-8")
        recipe = recipes.load_any(path)
        if isinstance(recipe, recipes.Recipe):
            recipes.stages(recipe, tmp_path / "run")


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=name)
def test_every_key_in_the_pages_is_a_key_of_recipes(page: Path) -> None:
    patterns = [re.escape(key.name).replace("NAME", "[^.]+") for key in recipes.keys()]  # noqa: SIM118
    for key in KEY.findall(page.read_text(encoding="utf-8")):
        assert any(re.fullmatch(pattern, key) for pattern in patterns), key


@pytest.mark.parametrize("page", RUNNABLE)
def test_the_python_examples_run(
    page: str,
    tiny_run,
    tiny_corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "demo").symlink_to(tiny_run.directory)
    for side in ("en", "de"):
        (tmp_path / f"test.{side}").symlink_to(tiny_corpus / f"test.{side}")
    (tmp_path / "letter.txt").write_text("Good morning.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for language, text in blocks(ROOT / page):
        if language == "python":
            exec(compile(text, page, "exec"), {})
            assert capsys.readouterr().out


def test_the_table_of_commands_is_complete() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for command in get_command(main).commands:  # type: ignore[attr-defined]
        assert f"| `docmt {command}` |" in page


def test_every_system_has_a_page_and_stands_in_the_table_of_systems() -> None:
    assert {page.stem for page in (ROOT / "docs" / "systems").glob("*.md")} == set(system_names())
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\[`([\w-]+)`\]\(systems/", index)) >= set(system_names())


def site_module(name: str) -> Any:
    """A module that the site loads when it is built: `macros` or `doctests`."""
    path = ROOT / "docs" / f"{name}.py"
    module = module_from_spec(spec := spec_from_file_location(name, path))
    spec.loader.exec_module(module)
    return module


def test_the_navigation_of_the_site_names_every_page_once() -> None:
    def pages(entries: Any) -> Iterator[str]:
        for entry in entries:
            (value,) = entry.values()
            yield from [value] if isinstance(value, str) else pages(value)

    site, _ = parse_value((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), "mkdocs.yml")
    named = [ROOT / "docs" / page for page in pages(site["nav"])]
    assert sorted(named) == [page for page in PAGES if ROOT / "docs" in page.parents]


def test_the_site_makes_tables_in_the_pages_that_call_for_them() -> None:
    site, _ = parse_value((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), "mkdocs.yml")
    (macros,) = (plugin["macros"] for plugin in site["plugins"] if "macros" in plugin)
    calls = [page for page in PAGES if re.search(r"^\{\{", page.read_text("utf-8"), re.MULTILINE)]
    assert [ROOT / "docs" / page for page in sorted(macros["force_render_paths"].split())] == calls


def test_examples_of_docstrings_are_code_in_the_reference() -> None:
    griffe = pytest.importorskip("griffe")
    package = {"one.py": '"""One.\n\n>>> 1 +\n... 1\n2\n\nMore.\n"""\n'}
    extensions = griffe.load_extensions(str(ROOT / "docs" / "doctests.py"))
    with griffe.temporary_visited_package("example", package, extensions=extensions) as example:
        docstring = example["one"].docstring.value
    assert docstring == "One.\n\n```pycon\n>>> 1 +\n... 1\n2\n```\n\nMore."


def test_the_reference_names_every_key_and_every_option() -> None:
    site = site_module("macros")
    page = "\n".join((site.commands(), site.keys(), site.recipes(), site.sweeps()))
    for name in bundled_sweeps():
        assert f"| `{name}` |" in page
    for key in recipes.keys():  # noqa: SIM118
        assert key.kind == "section" or f"| `{key.name}` |" in page
    for name in recipes.names():
        assert f"| `{name}` |" in page
    for name, command in get_command(main).commands.items():  # type: ignore[attr-defined]
        assert f"## docmt {name}\n" in page
        for parameter in command.params:
            assert parameter.name == "help" or f"`{parameter.opts[0]}`" in page or parameter.metavar


def test_the_guide_to_reproducing_has_a_command_for_every_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = site_module("macros")
    monkeypatch.setattr(site, "runs_before", lambda _: ["runs/some"])  # loads every recipe
    page = ROOT / "docs" / "how-to" / "reproduce.md"
    guide = Template(page.read_text(encoding="utf-8")).render(
        results=site.results, differences=site.differences
    )
    assert "# HAN, after runs/some" in guide
    found: dict[tuple[str, ...], set[str]] = {}
    for line in re.findall(r"^docmt train .*  # .*$", guide, re.MULTILINE):
        parameters = parsed(line)
        row = (parameters["recipe"], *(parameters["overrides"] or ()))
        found.setdefault(row, set()).add(str(parameters["run"]))
    rows = {
        tuple(shlex.split(command))
        for file in ROOT.glob("packages/research/tests/recipes/results_tables/*.yaml")
        for table in parse_value(file.read_text(encoding="utf-8"), file.name)[0].values()
        for command in table.values()
    }
    assert set(found) == rows
    runs = [run for named in found.values() for run in named]
    assert len(set(runs)) == len(rows), "give the rows of one recipe different names"


def test_the_runs_before_a_row_are_those_of_its_recipe() -> None:
    runs_before = site_module("macros").runs_before
    assert runs_before("nist-multi-context-target") == ["runs/pegasus-en", "runs/pegasus-zh"]
    assert runs_before("nist-multi-context 'system.stack=Bs(c)'") == []
    first_pass = "stages.context.search.first_pass=runs/nist-multi-context"
    assert "runs/nist-multi-context" in runs_before(f"nist-target-context {first_pass}")
