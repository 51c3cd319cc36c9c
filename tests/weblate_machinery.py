"""What Weblate's own modules for machine translation get from a service, run by a Python that has
Weblate, with an address and a key: the answers as JSON.

Weblate itself is not set up: the modules need its settings, and no database, cache or web server.
What it draws fonts and reads images with is not needed, and may be missing.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from unittest.mock import MagicMock

import django
from django.conf import settings

_IN_MEMORY = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
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


def _translations(module, source, target, texts):
    """The translations of texts, which the module asks for together."""
    asked = [(text, None) for text in texts]
    answered = module.download_multiple_translations(source, target, asked)
    return [answered[text][0]["text"] for text in texts]


def main(url, key):
    """Print what the modules get."""
    _set_up()
    from weblate.machinery.deepl import DeepLTranslation
    from weblate.machinery.libretranslate import LibreTranslateTranslation
    from weblate.machinery.openai import OpenAITranslation

    texts = ["Open the file.", "Save the file in the folder."]
    libre = LibreTranslateTranslation({"url": url, "key": key})
    deepl = DeepLTranslation({"url": f"{url}/v2", "key": key})
    chat = {"model": "custom", "custom_model": "en-de", "persona": "", "style": ""}
    openai = OpenAITranslation({"base_url": f"{url}/v1", "key": key} | chat)
    for module in (libre, deepl, openai):
        module.validate_settings()  # as when somebody enters them in Weblate
    before = deepl.list_glossaries()
    deepl.create_glossary("EN", "DE", "weblate:1:EN:DE:1", "file\tAkte")
    created = sorted(deepl.list_glossaries().keys() - before.keys())
    deepl.delete_oldest_glossary()
    answers = {
        "supported": [libre.is_supported("en", "de"), deepl.is_supported("EN", "DE")],
        "libretranslate": _translations(libre, "en", "de", texts),
        "deepl": _translations(deepl, "EN", "DE", [*texts, _TAGGED]),
        "openai": _translations(openai, "en", "de", [*texts, "Delete [X12X] it."]),
        "glossaries": [deepl.is_glossary_supported("EN", "DE"), created, deepl.list_glossaries()],
    }
    sys.stdout.write(json.dumps(answers) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
