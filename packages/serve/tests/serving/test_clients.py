"""Clients that others wrote work with docmt, unmodified: each skips where it is not installed."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

OPENED = "Öffnen Sie die Datei."


def test_libretranslatepy(server):
    package = pytest.importorskip("libretranslatepy", reason="needs the package libretranslatepy")
    url, key = server
    api = package.LibreTranslateAPI(f"{url}/", api_key=key)
    assert api.translate("Open the file.", "en", "de") == OPENED
    assert api.detect("Open the file.")[0]["language"] == "en"
    assert api.languages() == [
        {"code": "en", "name": "English", "targets": ["de"]},
        {"code": "de", "name": "German", "targets": []},
    ]


def test_deep_translator(server):
    package = pytest.importorskip("deep_translator", reason="needs the package deep-translator")
    url, key = server
    libre = package.LibreTranslator(
        source="en", target="de", custom_url=f"{url}/", use_free_api=False, api_key=key
    )
    assert libre.translate("Open the file.") == OPENED


def test_openai(server):
    package = pytest.importorskip("openai", reason="needs the package openai")
    url, key = server
    with package.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0) as client:
        messages = [{"role": "user", "content": "Open the file."}]
        answer = client.chat.completions.create(model="en-de", messages=messages)
        assert answer.choices[0].message.content == OPENED
        stream = client.chat.completions.create(model="en-de", messages=messages, stream=True)
        parts = [chunk.choices[0].delta.content or "" for chunk in stream]
        assert "".join(parts) == OPENED
        messages = [{"role": "user", "content": "Open the file. Close it."}]
        stream = client.chat.completions.create(model="en-de", messages=messages, stream=True)
        parts = [chunk.choices[0].delta.content for chunk in stream]
        assert parts == [f"{OPENED} ", "Schließen Sie sie.", None]
        text = "Open the file. Close it."
        response = client.responses.create(model="en-de", input=text)
        assert response.output_text == f"{OPENED} Schließen Sie sie."
        events = client.responses.create(model="en-de", input=text, stream=True)
        deltas = [each.delta for each in events if each.type == "response.output_text.delta"]
        assert deltas == [f"{OPENED} ", "Schließen Sie sie."]
        with client.responses.stream(model="en-de", input=text) as stream:
            assert stream.get_final_response().output_text == response.output_text
        assert [model.id for model in client.models.list()] == ["en-de"]
    wrong = package.OpenAI(base_url=f"{url}/v1", api_key="wrong", max_retries=0)
    with wrong, pytest.raises(package.AuthenticationError):
        wrong.models.list()


@pytest.mark.parametrize(
    "form",
    [
        ["--json", '{"q": "Open the file.", "source": "en", "target": "de", "api_key": "KEY"}'],
        ["-d", "q=Open the file.", "-d", "source=en", "-d", "target=de", "-d", "api_key=KEY"],
        ["-F", "q=Open the file.", "-F", "source=en", "-F", "target=de", "-F", "api_key=KEY"],
    ],
    ids=["json", "form", "multipart"],
)
def test_curl(server, form):
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    url, key = server
    command = ["curl", "-s", f"{url}/translate", *(word.replace("KEY", key) for word in form)]
    answer = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert json.loads(answer.stdout) == {"translatedText": OPENED}
