"""`--rules` and `--skip-hidden`: what they leave, and what is said about it."""

from __future__ import annotations

from docmt.cli.translate_options import LeavingOptions


def test_rules_and_hidden_content_are_given_by_options(tmp_path):
    assert LeavingOptions().chosen() is None
    hidden = LeavingOptions(skip_hidden=True).chosen()
    assert [rule.title for rule in hidden.rules] == ["hidden"] and hidden.unused() == []
    (tmp_path / "rules.toml").write_text('[[leave]]\nkey = "a"\n')
    rules = LeavingOptions(str(tmp_path / "rules.toml"), skip_hidden=True).chosen()
    assert [rule.title for rule in rules.rules] == ["key = a", "hidden"]
    assert len(rules.unused()) == 1


def test_own_placeholders_are_given_by_options(tmp_path):
    rules = LeavingOptions(placeholders=[r"<<\w+>>", "x"]).chosen()
    assert [rule.title for rule in rules.rules] == [r"<<\w+>>", "x"]
    assert rules.unused()[1] == "the pattern of placeholders x matched nothing"
    (tmp_path / "rules.toml").write_text('[[leave]]\nkey = "a"\n')
    rules = LeavingOptions(str(tmp_path / "rules.toml"), placeholders=["x"]).chosen()
    assert [rule.title for rule in rules.rules] == ["key = a", "x"]


def test_a_folder_says_once_which_rules_matched_nothing(tmp_path):
    from docmt.translating import translate_folder
    from docmt_files import Input
    from translating.test_any_translator import Shouting

    (tmp_path / "rules.toml").write_text('[[leave]]\nkey = "a"\n[[leave]]\npattern = "OK"\n')
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.md").write_text("Press the button.\n")
    (folder / "b.md").write_text("Press OK.\n")
    rules = LeavingOptions(str(tmp_path / "rules.toml")).chosen()
    notes: list[str] = []
    translate_folder(
        Shouting(), folder, tmp_path / "out", input_form=Input(rules=rules), note=notes.append
    )
    assert (tmp_path / "out" / "b.md").read_text() == "PRESS OK.\n"
    assert sum("matched nothing" in note for note in notes) == 1
    assert notes[-1].endswith("line 1: the rule (key = a) matched nothing")
