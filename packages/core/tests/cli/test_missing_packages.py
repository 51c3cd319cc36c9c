"""Commands of packages that are not installed: the error names the package."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from docmt.cli import main


@pytest.mark.parametrize(
    "command", [["import", "t5"], ["import", "language-model"], ["recipes", "profiles"]]
)
def test_a_command_of_a_group_says_what_to_install(command, monkeypatch):
    from docmt import cli

    monkeypatch.setattr("docmt_files.base.entry_points._entry_points", lambda _group: [])
    monkeypatch.setattr("docmt.cli.import_.import_commands", dict)
    cli.load_command.cache_clear()
    group = cli.load_command(command[0])
    group.commands.pop(command[1], None)
    with monkeypatch.context() as patch:
        patch.setattr(cli, "load_command", lambda _name, **_: group)
        result = CliRunner().invoke(main, command)
    cli.load_command.cache_clear()
    assert result.exit_code == 2
    assert f"`docmt {' '.join(command)}` is in the package docmt-llm" in result.stderr
    assert "pip install docmt-llm" in result.stderr
