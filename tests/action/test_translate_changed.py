"""The step of the GitHub action, run in a repository of git."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "action" / "translate_changed.py"


def git(*arguments):
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def commit():
    git("add", "--all")
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with two documents, which is the current folder."""
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    monkeypatch.chdir(folder)
    git("init", "-q")
    Path("docs/guide.md").write_text("Open the file.\n")
    Path("docs/menu.md").write_text("Save it.\n")
    commit()
    values = {"FILES": "docs/*.md", "TO": "de", "FROM": "en", "CACHE": tmp_path / "cache"}
    for name, value in values.items():
        monkeypatch.setenv(f"DOCMT_{name}", str(value))
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return folder


@pytest.fixture
def module(monkeypatch):
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("translate_changed", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "translate_changed", module)  # for its dataclasses
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def step(module, repository, tmp_path, monkeypatch):
    """Runs the step with a docmt that shouts, and finds something in sentences with a digit.
    Returns the exit code, the summary, the output, and the options of each translation."""
    asked = []

    def docmt(command, source, *rest):
        options = [word for word in rest if word.startswith("--")]
        output = Path(next(word for word in options if word.startswith("--output="))[9:])
        if command == "check":
            text = Path(source).read_text()
            found = {"place": "line 1", "check": "numbers", "detail": "1 | 2", "source": text}
            findings = [{**found, "translation": "<b>"}] if any(map(str.isdigit, text)) else []
            output.write_text(json.dumps({"checked": "f: 1 text", "findings": findings}))
            return (3 if findings else 0), ""
        if "FAIL" in Path(source).read_text():
            return 2, "the file is damaged"
        asked.append((source, *rest[:-1]))
        output.write_text(Path(source).read_text().upper())
        return 0, ""

    monkeypatch.setattr(module, "docmt", docmt)

    def run():
        asked.clear()
        files = [tmp_path / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")]
        for path in files:
            path.write_text("")
        code = module.main()
        summary, output = (path.read_text() for path in files)
        return code, summary, output.splitlines()[1:-1], [each[0] for each in asked], asked[:]

    return run


def test_what_has_not_changed_is_not_translated_again(step):
    code, summary, output, *_ = step()
    assert (code, output) == (0, ["docs/guide.de.md", "docs/menu.de.md"])
    assert Path("docs/guide.de.md").read_text() == "OPEN THE FILE.\n"
    assert "| docs/guide.md | de | translated: 1 text |" in summary
    commit()
    code, summary, output, translated, _ = step()
    assert (code, output, translated) == (0, [], [])
    assert "2 unchanged." in summary


def test_a_changed_file_is_translated_with_its_last_version(step, tmp_path):
    step()
    Path("docs/guide.md").write_text("Open 2 files.\n")
    commit()
    code, summary, output, translated, asked = step()
    assert (code, output, translated) == (0, ["docs/guide.de.md"], ["./docs/guide.md"])
    _, *options = asked[0]
    previous, translation = options[options.index("--previous") + 1 :][:2]
    assert Path(previous).parent.parent == tmp_path / "cache"
    assert translation == "./docs/guide.de.md"
    assert "| docs/guide.md | de | translated: 1 text | numbers (1) |" in summary
    assert "&#124;" in summary and "<b>" not in summary  # text of files is text


def test_the_same_content_is_not_a_change(step):
    step()
    os.utime("docs/guide.md", (1, 1))
    commit()
    assert step()[3] == []


def test_a_deleted_file_is_told_and_its_translation_is_no_source(step):
    step()
    git("rm", "-q", "docs/menu.md")
    commit()
    for _ in range(2):
        code, summary, _, translated, _ = step()
        assert (code, translated) == (0, [])
        assert "| docs/menu.md |  | deleted; still there: docs/menu.de.md |" in summary
    Path("docs/menu.de.md").unlink()
    assert "| docs/menu.md |  | deleted |" in step()[1]
    assert "menu" not in step()[1]


def test_a_translation_by_a_person_is_left_as_it_is(step, tmp_path):
    Path("docs/guide.de.md").write_text("von Hand\n")
    commit()
    _, summary, _, translated, _ = step()
    assert translated == ["./docs/menu.md"]
    assert "was there before" in summary
    assert Path("docs/guide.de.md").read_text() == "von Hand\n"
    # Changed by a person, it needs the source that it is of.
    Path("docs/guide.md").write_text("Close the file.\n")
    Path("docs/guide.de.md").write_text("von Hand geändert\n")
    for path in (tmp_path / "cache" / "sources").iterdir():
        path.unlink()
    _, summary, _, translated, _ = step()
    assert translated == []
    assert "outdated: a person has changed it" in summary
    Path("docs/guide.de.md").unlink()
    assert step()[3] == ["./docs/guide.md"]


def test_without_the_cache_nothing_is_translated_again(step, monkeypatch, tmp_path):
    step()
    monkeypatch.setenv("DOCMT_CACHE", str(tmp_path / "empty"))
    assert step()[3] == []


def test_a_file_that_fails_is_told_and_tried_again(step):
    Path("docs/guide.md").write_text("FAIL\n")
    code, summary, output, _, _ = step()
    assert (code, output) == (1, ["docs/menu.de.md"])
    assert "| docs/guide.md | de | not translated: the file is damaged |" in summary
    Path("docs/guide.md").write_text("Open it.\n")
    assert step()[0] == 0


def test_languages_have_files_of_their_own_where_the_pattern_says(step, monkeypatch):
    monkeypatch.setenv("DOCMT_TO", "de, fr")
    monkeypatch.setenv("DOCMT_ROOT", "docs")
    monkeypatch.setenv("DOCMT_OUTPUT", "{to}/{below}{suffix}")
    assert step()[2] == ["de/guide.md", "fr/guide.md", "de/menu.md", "fr/menu.md"]
    Path("fr/menu.md").unlink()
    assert step()[2] == ["fr/menu.md"]


@pytest.mark.parametrize("pattern", ["../{path}{suffix}", "/tmp/{below}{suffix}", "{path}{suffix}"])
def test_a_translation_stays_in_the_repository_and_beside_its_source(step, monkeypatch, pattern):
    monkeypatch.setenv("DOCMT_OUTPUT", pattern)
    code, summary, output, translated, _ = step()
    assert (code, output, translated) == (1, [], [])
    assert summary.count("cannot be the translation") == 2


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("OUTPUT", "all.{to}", "`output` names all.de for several translations"),
        ("FILES", "*.rst", "no file of the repository matches `files`"),
        ("TO", "", "`files` and `to` are needed"),
    ],
)
def test_mistakes_of_inputs_are_told(repository, monkeypatch, name, value, said):
    monkeypatch.setenv(f"DOCMT_{name}", value)
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, f"| {said}\n")


def test_links_are_not_followed(step, tmp_path):
    (tmp_path / "secret.md").write_text("secret\n")
    Path("docs/link.md").symlink_to(tmp_path / "secret.md")
    commit()
    assert "./docs/link.md" not in step()[3]


def test_a_record_with_a_conflict_is_told(step, capsys):
    Path(".docmt.json").write_text("<<<<<<< ours\n")
    module = sys.modules["translate_changed"]
    assert module.main() == 2
    assert ".docmt.json is not JSON" in capsys.readouterr().out


def test_no_line_of_docmt_is_a_command_to_github(capsys):
    spec = importlib.util.spec_from_file_location("translate_changed_2", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.log("::error::hello")
    assert not capsys.readouterr().out.lstrip().startswith("::")


def test_docmt_does_not_take_inputs_of_the_action_as_its_configuration(
    module, repository, monkeypatch
):
    seen = []

    def run(command, *, env, **_):
        seen.append(env)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(module.subprocess, "run", run)
    monkeypatch.setenv("DOCMT_MODELS", "models")
    assert "DOCMT_TO" in os.environ
    module.docmt("--version")
    assert seen[0]["DOCMT_MODELS"] == "models" and not module.INPUTS & {*seen[0]}


def test_every_input_of_the_action_reaches_the_script(module):
    from ruamel.yaml import YAML

    action = YAML(typ="safe").load((SCRIPT.parent / "action.yml").read_text())
    (step,) = (step for step in action["runs"]["steps"] if step.get("id") == "translate")
    given = {str(value) for value in step["env"].values()}
    passed = {name for name in action["inputs"] if f"${{{{ inputs.{name} }}}}" in given}
    assert passed == set(action["inputs"]) - {"extras"}
    # An input in a command could be a command itself.
    assert not any("inputs." in step.get("run", "") for step in action["runs"]["steps"])
    assert {*step["env"]} == module.INPUTS
    script = SCRIPT.read_text()
    assert all(f'"{name.removeprefix("DOCMT_").lower()}"' in script for name in step["env"])


@pytest.mark.slow
def test_the_bundled_model_translates_what_has_changed(repository, tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_RUN", "bundled:en-de")
    Path("docs/guide.md").write_text("# Guide\n\nOpen the file. Close it.\n")

    def run():
        done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return (tmp_path / "GITHUB_STEP_SUMMARY").read_text()

    assert "translated: 2 texts, 3 sentences" in run()
    edited = Path("docs/guide.de.md").read_text().replace("Schließen", "Nun schließen")
    Path("docs/guide.de.md").write_text(edited)
    Path("docs/guide.md").write_text("# Guide\n\nOpen the file. Close it. Save the workbook.\n")
    run()
    translated = Path("docs/guide.de.md").read_text()
    assert translated.startswith(edited.rstrip())
    assert "Arbeitsmappe" in translated
