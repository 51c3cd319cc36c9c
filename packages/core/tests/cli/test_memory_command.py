"""`docmt memory`, and `docmt translate` with memories."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from docmt.cli import main

V1 = "# Share\n\nOpen the file. Wait 20 seconds.\n\nSelect **OK**.\n"


def _run(*arguments, code=0):
    """Run a command. Returns what it printed and what it noted."""
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


@pytest.fixture(autouse=True)
def _sample(monkeypatch):
    """Commands translate with the sample, as a person may have set."""
    monkeypatch.setenv("DOCMT_RUN", "bundled:en-de")


@pytest.fixture
def pair(tmp_path):
    """A file and its edited translation."""
    (tmp_path / "v1.md").write_text(V1)
    edited = "# Teilen\n\nDatei öffnen. 20 Sekunden warten.\n\nNun **OK** wählen.\n"
    (tmp_path / "v1.de.md").write_text(edited)
    return tmp_path / "v1.md", tmp_path / "v1.de.md"


def test_the_last_version_is_used_again(pair, tmp_path):
    new = tmp_path / "v2.md"
    new.write_text(V1.replace("20", "30"))
    translated, notes = _run("translate", new, "--previous", *pair)
    assert translated == pair[1].read_text().replace("20", "30")
    assert "4 sentences of 4 from the memory: 1 of them in the same context, 1 with other" in notes


def test_a_memory_grows_is_looked_into_and_exported(pair, tmp_path):
    memory = tmp_path / "m.db"
    languages = ("--source-language", "en", "--target-language", "de")
    _, notes = _run("memory", "add", memory, "--pair", *pair, *languages)
    assert "4 units new or changed, 4 in all" in notes
    assert _run("memory", "look-up", memory, "Wait 30 seconds.")[0] == (
        "100%\tWait 20 seconds.\t20 Sekunden warten.\n"
    )
    _run("memory", "export", memory, "-o", tmp_path / "m.tmx")
    _, notes = _run("memory", "add", tmp_path / "n.db", tmp_path / "m.tmx", *languages)
    assert "4 in all" in notes
    for name in ("m.db", "m.tmx"):
        translated, _ = _run("translate", pair[0], "--memory", tmp_path / name)
        assert "Datei öffnen." in translated


def test_a_memory_that_is_none_is_refused(pair, tmp_path):
    (tmp_path / "m.db").write_bytes(b"no memory")
    _, notes = _run("translate", pair[0], "--memory", tmp_path / "m.db", code=2)
    assert "is not a translation memory of docmt" in notes
    _, notes = _run("memory", "add", tmp_path / "new.db", code=2)
    assert "nothing is given to add" in notes
    languages = ("--source-language", "en", "--target-language", "fr")
    (tmp_path / "a.tmx").write_text("<tmx>\n<tu></tmx>")
    _, notes = _run("memory", "add", tmp_path / "new.db", tmp_path / "a.tmx", *languages, code=2)
    assert "a.tmx, line 2: is not valid XML" in notes and not (tmp_path / "new.db").exists()


def test_a_dry_run_counts_what_is_in_the_memory(pair, tmp_path):
    folder = tmp_path / "manual"
    folder.mkdir()
    new = "Select the **OK** button now."
    (folder / "a.md").write_text(f"{V1.replace('20', '30')}\n{new}\n\n{new}\n")
    (folder / "b.md").write_text("Open the long file here. Nothing is like this.\n")
    (folder / "c.md").touch()
    table, notes = _run(
        "translate", folder, "-o", tmp_path / "out", "--previous", *pair, "--dry-run",
        "--memory-threshold", "0.6",
    )  # fmt: skip
    rows = [line.split("\t") for line in table.splitlines()]
    assert rows[0] == ["match", "segments", "words", "share of words"]
    assert {row[0]: (int(row[1]), int(row[2])) for row in rows[1:] if row[1] != "0"} == {
        "in the same context": (1, 1),
        "exact": (2, 5),
        "with other numbers or codes": (1, 3),
        "repetitions": (1, 5),
        "50–74 %": (1, 5),
        "new": (2, 9),
        "total": (8, 28),
    }
    assert not (tmp_path / "out").exists()
    assert "c.md: has no text" in notes
