"""The systems by the names that recipes use: those of docmt, and those of other installed packages
(`docmt.entry_points`, group `docmt.systems`), which are imported when a recipe names them.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from docmt import entry_points
from docmt.errors import InputError
from docmt.systems.associated_memory import AssociatedMemory
from docmt.systems.cache_rnnsearch import CacheRNNSearch
from docmt.systems.cache_transformer import CacheTransformer
from docmt.systems.cadec import CADec
from docmt.systems.context_aware_transformer import ContextAwareTransformer
from docmt.systems.cross_sentence_rnn import CrossSentenceRNN
from docmt.systems.document_transformer import DocumentTransformer
from docmt.systems.flat_transformer import FlatTransformer
from docmt.systems.g_transformer import GTransformer
from docmt.systems.han import HAN
from docmt.systems.hm_gdc import HMGDC
from docmt.systems.hm_gdc_rnnsearch import HMGDCRNNSearch
from docmt.systems.hybrid_context import HybridContext
from docmt.systems.long_short import LongShort
from docmt.systems.multi_encoder_rnn import MultiEncoderRNN
from docmt.systems.parallel_stack import ParallelStack
from docmt.systems.rnnsearch import RNNSearch
from docmt.systems.san import SAN
from docmt.systems.system import System
from docmt.systems.system_settings import SystemSettings
from docmt.systems.transformer import Transformer
from docmt.wording import did_you_mean

SYSTEMS: dict[str, type[System]] = {
    system.settings_class.model_fields["name"].default: system
    for system in (
        Transformer,
        GTransformer,
        ContextAwareTransformer,
        DocumentTransformer,
        FlatTransformer,
        AssociatedMemory,
        HAN,
        SAN,
        CADec,
        HMGDC,
        HybridContext,
        ParallelStack,
        RNNSearch,
        CrossSentenceRNN,
        HMGDCRNNSearch,
        MultiEncoderRNN,
        CacheRNNSearch,
        CacheTransformer,
        LongShort,
    )
}
"""The systems of docmt. No other package can replace them."""

_loaded: dict[str, type[System]] = {}
"""The systems of other packages that were asked for."""


def system_class(name: str) -> type[System]:
    """The system of this name. One of another package is imported.

    Raises:
        InputError: no system has this name, or that of another package cannot be used.

    >>> system_class("g-transformer").__name__
    'GTransformer'
    """
    return SYSTEMS.get(name) or _loaded.get(name) or _load(name)


def settings_classes() -> list[type[SystemSettings]]:
    """Return the settings of all systems of docmt, and of those of other packages that were asked
    for.

    >>> "GTransformerSettings" in {settings.__name__ for settings in settings_classes()}
    True
    """
    return [system.settings_class for system in (*SYSTEMS.values(), *_loaded.values())]


SystemSettings.known = staticmethod(settings_classes)


def read_system(values: Any) -> Any:
    """The section `system` of a recipe as settings of the system that it names; anything but keys
    and values is returned as it is.

    Raises:
        ValueError: there is no such system.
        pydantic.ValidationError: keys or values are not valid; the system's name begins each
            location, as the tag of a member of a union does.

    >>> read_system({"name": "transformer", "layers": 2}).layers
    2
    """
    if not isinstance(values, dict):
        return values
    name = values.get("name")
    if not isinstance(name, str):
        raise ValueError(f"name must be the name of a system (got {name!r})")
    try:
        return system_class(name).settings_class.model_validate(values)
    except ValidationError as error:
        raise ValidationError.from_exception_data(
            error.title, [_below(name, problem) for problem in error.errors()]
        ) from None


def _below(name: str, problem: Any) -> InitErrorDetails:
    """A validation problem with a name before its location."""
    kind = PydanticCustomError(problem["type"], "{message}", {"message": problem["msg"]})
    return InitErrorDetails(type=kind, loc=(name, *problem["loc"]), input=problem["input"])


def _load(name: str) -> type[System]:
    """Import a system of another package."""
    loaded = entry_points.load("docmt.systems", name)
    if loaded is None:
        known = [*SYSTEMS, *entry_points.names("docmt.systems")]
        hint = did_you_mean(name, known)
        raise InputError(
            f"unknown system {name!r}",
            cure=hint[0].upper() + hint[1:] if hint else f"Known: {', '.join(known)}",
        )
    plugin, system = loaded
    if not (isinstance(system, type) and issubclass(system, System)):
        raise InputError(f"{plugin} is not a subclass of docmt.systems.System")
    settings = getattr(system, "settings_class", None)
    if not (isinstance(settings, type) and issubclass(settings, SystemSettings)):
        raise InputError(
            f"{plugin} has no settings_class that is a subclass of docmt.systems.SystemSettings"
        )
    own_name = settings.model_fields["name"].default
    if own_name != name:
        raise InputError(f"{plugin} has settings with the name {own_name!r}, not {name!r}")
    _loaded[name] = system
    return system
