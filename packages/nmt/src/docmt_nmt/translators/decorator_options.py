"""Decorators of translators from other packages, by the entry points `docmt.decorators`: each is
an option of the commands that translate, and of the service.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from docmt_files.base import entry_points
from docmt_nmt.base import plugin_groups
from docmt_nmt.translators.translator import Translator


@dataclass(frozen=True, slots=True)
class DecoratorOption:
    """A decorator, and the option that asks for it. The option has the name of the entry point.

    Attributes:
        metavar: the placeholder of the value in help texts.
        help: the help text of the option.
        load: given the value of the option, loads what the decorator needs, and returns a function
            that puts the decorator over a translator. The function raises an `InputError` for a
            translator that cannot have the decorator.
        takes: whether a translator can have the decorator.
        default: the value of the option where none is given; None for no decorator.
    """

    metavar: str
    help: str
    load: Callable[[str], Callable[[Translator], Translator]]
    takes: Callable[[Translator], bool]
    default: str | None = None


def decorator_options() -> dict[str, DecoratorOption]:
    """The decorators of installed packages, by parameter name, such as `document_lm`.

    Raises:
        InputError: one cannot be imported, or is something else; naming the package.
    """
    found = {}
    for plugin, value in entry_points.load_each(plugin_groups.DECORATORS):
        if not isinstance(value, DecoratorOption):
            raise entry_points.wrong(plugin, "is not a DecoratorOption")
        found[plugin.name.replace("-", "_")] = value
    return found


def load_decorators(
    given: Mapping[str, str], *, lenient: bool = False
) -> Callable[[Translator], Translator]:
    """The function that puts decorators over a translator.

    Args:
        given: the value of each option, by parameter name.
        lenient: leave a translator as it is where it cannot have a decorator.

    Raises:
        InputError: a decorator cannot be loaded. The function raises one for a translator that
            cannot have a decorator, unless it is lenient.
    """
    options = decorator_options()
    loaded = [(options[name], options[name].load(value)) for name, value in given.items()]

    def decorate(translator: Translator) -> Translator:
        for option, over in loaded:
            if not lenient or option.takes(translator):
                translator = over(translator)
        return translator

    return decorate
