"""Weblate, an editor for translators on the web, asks docmt by its own modules, unmodified.

It needs a Python that has Weblate, which brings too much for the environment of the tests:
`WEBLATE_PYTHON=FOLDER/bin/python pytest tests/serving/test_weblate.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "weblate_machinery.py"
TRANSLATED = ["Öffnen Sie die Datei.", "Speichern Sie die Datei im Ordner."]


def test_weblate_translates_by_three_apis(server, tmp_path):
    python = os.environ.get("WEBLATE_PYTHON")
    if python is None:
        pytest.skip("needs WEBLATE_PYTHON, a Python that has Weblate")
    command = [python, SCRIPT, *server]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    answers = json.loads(ended.stdout.splitlines()[-1])
    assert answers["supported"] == [True, True]
    assert answers["libretranslate"] == TRANSLATED
    *sentences, tagged = answers["deepl"]
    assert sentences == TRANSLATED
    assert '<x id="14"></x>' in tagged
    *sentences, held = answers["openai"]
    assert sentences == TRANSLATED
    assert "[X12X]" in held
    assert answers["glossaries"] == [True, ["weblate:1:EN:DE:1"], {}]
