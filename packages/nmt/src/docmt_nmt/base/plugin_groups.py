"""Groups of entry points for parts of docmt from other packages, besides formats of files."""

from __future__ import annotations

from docmt_files.base.entry_points import Group

SYSTEMS = Group("docmt.systems", "system")
RECIPES = Group("docmt.recipes", "folder of recipes")
TRANSLATORS = Group("docmt.translators", "translator")
METRICS = Group("docmt.metrics", "metric")
RECORDERS = Group("docmt.recorders", "recorder")
FORCED_DECODERS = Group("docmt.forced_decoders", "forced decoder")
COMMANDS = Group("docmt.commands", "command")
IMPORTERS = Group("docmt.importers", "importer")
DECORATORS = Group("docmt.decorators", "decorator of translators")
