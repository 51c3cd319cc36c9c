"""Models by language: what a registry has, what is installed, and the translator of a pair.

A registry is a JSON file such as Mozilla's, which lists the models of Firefox. An installed model
is a run directory, named after its languages, in one folder.
"""

from docmt.models.downloads import Download
from docmt.models.installed import InstalledModel, InstalledModels
from docmt.models.pairs import PairTranslators
from docmt.models.registry import MOZILLA, Registry, RegistryModel

__all__ = [
    "MOZILLA",
    "Download",
    "InstalledModel",
    "InstalledModels",
    "PairTranslators",
    "Registry",
    "RegistryModel",
]
