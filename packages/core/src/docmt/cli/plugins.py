"""`docmt plugins`: the plugins of other installed packages."""

from __future__ import annotations

from collections import Counter

import typer


def plugins() -> None:
    """List the plugins of other installed packages, without importing them.

    Each line has the group, the name, the package and the object; unusable names have a note.
    """
    from docmt_files import FORMAT_PLUGINS
    from docmt_files.base.entry_points import Group, installed
    from docmt_nmt.base import plugin_groups

    groups = [group for group in vars(plugin_groups).values() if isinstance(group, Group)]
    available = installed(*groups, FORMAT_PLUGINS)
    taken = Counter((plugin.group, plugin.name) for plugin in available)
    for plugin in available:
        columns = [plugin.group.name, plugin.name, plugin.package, plugin.object]
        if plugin.name in _own_names(plugin.group.name):
            columns.append("not used: docmt has this name itself")
        elif taken[plugin.group, plugin.name] > 1:
            columns.append("not used: several packages have this name")
        typer.echo("\t".join(columns))


def _own_names(group: str) -> set[str]:
    """docmt's own names in a group."""
    from typing import get_args

    if group == "docmt.systems":
        from docmt_nmt.systems import SYSTEMS

        return set(SYSTEMS)
    if group == "docmt.translators":
        from docmt_nmt.recipes.translator_kinds import BEAM_SEARCH

        return {BEAM_SEARCH}
    if group == "docmt.metrics":
        from docmt_nmt.base.choices import Metric

        return set(get_args(Metric))
    if group == "docmt.commands":
        from docmt.cli import COMMANDS

        return set(COMMANDS)
    if group == "docmt.formats":
        from docmt_files import OWN_SUFFIXES

        return set(OWN_SUFFIXES)
    return set()
