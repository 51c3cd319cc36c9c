"""Weblate's own modules for machine translation against a service, run by a Python that has
Weblate, with an address, a key and the name of a run.

Weblate itself is not set up: the modules need its settings and, in memory, its tables of languages.
What it draws fonts and reads images with is not needed, and may be missing.
"""

# The Python of the other tools does not have Weblate.
# mypy: ignore-errors

from __future__ import annotations

import importlib.util
import json
import sys
from unittest.mock import MagicMock

import django
from django.conf import settings

_IN_MEMORY = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
_TEXTS = ["Open the file.", "Save the file in the folder."]
_TAGGED = 'Open the file <x id="14"></x> &amp; close it.'


def _set_up():
    """Prepare Weblate's modules for being imported."""
    for modules in (("cairo",), ("gi", "gi.repository"), ("tesserocr",)):
        if importlib.util.find_spec(modules[0]) is None:
            sys.modules |= {name: MagicMock() for name in modules}
    from weblate import settings_example

    values = {name: value for name, value in vars(settings_example).items() if name.isupper()}
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    caches = {"default": _IN_MEMORY, "avatar": _IN_MEMORY}
    settings.configure(**values | {"DATABASES": {"default": database}, "CACHES": caches})
    django.setup()
    _make_languages()


def _make_languages():
    """Make the tables of languages with two of them, in memory."""
    from django.db import connection
    from weblate.lang.models import Language, Plural

    with connection.schema_editor() as editor:
        editor.create_model(Language)
        editor.create_model(Plural)
    for code, name in (("en", "English"), ("de", "German")):
        language = Language.objects.create(code=code, name=name)
        Plural.objects.create(language=language, number=2, formula="n != 1", source=0)


def _translations(module, source, target, texts):
    """The translations of texts, which the module asks for together."""
    asked = [(text, None) for text in texts]
    answered = module.download_multiple_translations(source, target, asked)
    return [answered[text][0]["text"] for text in texts]


def _check_deepl(module):
    """Translate, and make and delete a glossary."""
    *sentences, tagged = _translations(module, "EN", "DE", [*_TEXTS, _TAGGED])
    assert _are_translated(sentences), sentences
    assert '<x id="14"></x> ' in tagged, tagged
    before = module.list_glossaries()
    module.create_glossary("EN", "DE", "weblate:1:EN:DE:1", "file\tAkte")
    created = sorted(module.list_glossaries().keys() - before.keys())
    assert created == ["weblate:1:EN:DE:1"], created
    module.delete_oldest_glossary()


def _check_libretranslate(module):
    """Translate."""
    assert module.is_supported("en", "de")
    sentences = _translations(module, "en", "de", _TEXTS)
    assert _are_translated(sentences), sentences


def _check_openai(module):
    """Translate, with a placeholder."""
    *sentences, held = _translations(module, "en", "de", [*_TEXTS, "Delete @@PH12@@ in it."])
    assert _are_translated(sentences), sentences
    assert held.count("@@PH12@@") == 1, held


def _are_translated(sentences):
    return all(found and found != text for text, found in zip(_TEXTS, sentences, strict=True))


def main(url, key, model):
    """Print a line of JSON for each check."""
    _set_up()
    from weblate.machinery.deepl import DeepLTranslation
    from weblate.machinery.libretranslate import LibreTranslateTranslation
    from weblate.machinery.openai import OpenAITranslation

    chat = {"model": "custom", "custom_model": model, "persona": "", "style": ""}
    modules = {
        _check_libretranslate: LibreTranslateTranslation({"url": url, "key": key}),
        _check_deepl: DeepLTranslation({"url": f"{url}/v2", "key": key}),
        _check_openai: OpenAITranslation({"base_url": f"{url}/v1", "key": key} | chat),
    }
    for check, module in modules.items():
        name, told = type(module).__name__, ("passed", "")
        try:
            module.validate_settings()  # as when somebody enters them in Weblate
            check(module)
        except Exception as error:
            told = "failed", f"{type(error).__name__}: {error}"
        sys.stdout.write(json.dumps([name, *told]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
