"""Entry points of installed packages are looked through once, for all groups."""

from importlib.metadata import distributions

from docmt_files.base import entry_points
from docmt_files.base.entry_points import Group


def test_packages_are_looked_through_once_for_all_groups(monkeypatch):
    looked = []
    monkeypatch.setattr(
        entry_points, "distributions", lambda: looked.append(True) or distributions()
    )
    entry_points._points_on.cache_clear()
    commands = entry_points.installed(Group("docmt.commands", "command"))
    entry_points.installed(Group("docmt.translators", "translator"))
    assert looked == [True]
    known = {each.name: each for each in distributions()}
    for plugin in commands:
        (point,) = known[plugin.package].entry_points.select(
            group="docmt.commands", name=plugin.name
        )
        assert point.value == plugin.object
