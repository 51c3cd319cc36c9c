"""What docmt answers is what DeepL's published specification says.

The specification, `openapi.json` of the repository DeepLcom/openapi on GitHub, is not part of this
one: `DEEPL_OPENAPI=FILE pytest packages/serve/tests/serving/test_deepl_specification.py` names a
    copy.
"""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

TEXTS = {"text": ["Open the file."], "target_lang": "DE"}
GLOSSARY = {"name": "g", "source_lang": "en", "target_lang": "de", "entries": "file\tAkte"}
TSV = {"entries_format": "tsv"}
FILE = {"file": ("a.md", b"Open the file.\n")}

BEYOND = {
    # The schema has entries instead, while its examples have this.
    "entry_count",
    # The schema has one dictionary without a list; DeepL's own clients read a list.
    "dictionaries",
}
"""Names in answers that the schemas of the specification do not have."""


class Specification:
    """DeepL's specification, against which answers are checked."""

    def __init__(self, path):
        self.whole = json.loads(path.read_text("utf-8"))
        self.checked = set()

    def _resolved(self, value):
        """A part without references, with `null` as JSON Schema has it."""
        if isinstance(value, list):
            return [self._resolved(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            part = self.whole
            for name in value["$ref"].removeprefix("#/").split("/"):
                part = part[name.replace("~1", "/").replace("~0", "~")]
            return self._resolved(part)
        whole = {name: self._resolved(each) for name, each in value.items()}
        if whole.get("nullable") and isinstance(whole.get("type"), str):
            whole["type"] = [whole["type"], "null"]
        return whole

    def operation(self, method, path):
        """The method and path of the operation that a request asks for, and what it answers."""
        for template, operations in self.whole["paths"].items():
            pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template))
            if re.fullmatch(pattern, path) and method.lower() in operations:
                responses = self._resolved(operations[method.lower()]["responses"])
                return (method, template), responses
        raise AssertionError(f"the specification has no {method} {path}")

    def check(self, answer):
        """Check an answer: its status, its type, its values, and that it has no unknown ones."""
        import jsonschema

        operation, responses = self.operation(answer.request.method, answer.request.url.path)
        self.checked.add((*operation, answer.status_code))
        response = responses[str(answer.status_code)]
        content = response.get("content", {})
        if not answer.content:
            assert content == {}
            return
        if not content and answer.status_code >= 400:
            return  # An error without a body in the specification may say what is wrong.
        kind = answer.headers["content-type"].partition(";")[0]
        assert kind in content
        if kind != "application/json":
            return
        schema = content[kind]["schema"]
        jsonschema.Draft4Validator(schema).validate(answer.json())
        assert _unknown(answer.json(), schema) <= BEYOND


def _unknown(value, schema):
    """The names in a value that its schema does not have."""
    if isinstance(value, list):
        return {name for each in value for name in _unknown(each, schema.get("items", {}))}
    if not isinstance(value, dict) or "properties" not in schema:
        return set()
    known = schema["properties"]
    inner = (_unknown(each, known[name]) for name, each in value.items() if name in known)
    return (value.keys() - known.keys()).union(*inner)


@pytest.fixture(scope="module")
def specification():
    pytest.importorskip("jsonschema", reason="needs the package jsonschema")
    path = os.environ.get("DEEPL_OPENAPI")
    if path is None:
        pytest.skip("needs DEEPL_OPENAPI, the openapi.json of DeepLcom/openapi")
    return Specification(Path(path))


@pytest.fixture
def ask(specification, client):
    """Sends a request, and checks the answer against the specification."""

    def ask(method, path, status=200, **request):
        answer = client.request(method, path, **request)
        assert answer.status_code == status, answer.text
        specification.check(answer)
        return answer

    return ask


def test_answers_about_texts_languages_and_usage(ask):
    ask("POST", "/v2/translate", json=TEXTS)
    ask("POST", "/v2/translate", data=TEXTS | {"model_type": "prefer_quality_optimized"})
    ask("POST", "/v2/translate", json=TEXTS | {"tag_handling_version": "v2", "tag_handling": "xml"})
    for kind in ("source", "target"):
        ask("GET", "/v2/languages", params={"type": kind})
    ask("GET", "/v3/languages", params={"resource": "translate_text"})
    ask("GET", "/v2/usage")


@pytest.mark.parametrize(
    ("method", "path", "values", "status"),
    [
        ("POST", "/v2/translate", {"target_lang": "DE"}, 400),
        ("POST", "/v2/translate", TEXTS | {"target_lang": "XX"}, 400),
        ("POST", "/v2/translate", TEXTS | {"source_lang": "EN", "glossary_id": "0" * 32}, 404),
        ("POST", "/v2/translate", TEXTS | {"text": ["a" * 200_000]}, 413),
        ("GET", "/v2/languages", {"type": "none"}, 400),
        ("POST", "/v2/document", {"target_lang": "DE"}, 400),
        ("POST", "/v2/document/0", {"document_key": "0"}, 404),
        ("POST", "/v2/document/0/result", {"document_key": "0"}, 404),
        ("POST", "/v2/glossaries", GLOSSARY | TSV | {"entries": "a"}, 400),
        ("GET", "/v2/glossaries/0", None, 404),
        ("POST", "/v3/glossaries", {"name": "g", "dictionaries": [{}]}, 400),
        ("GET", "/v3/glossaries/0", None, 404),
    ],
)
def test_answers_about_errors(ask, method, path, values, status):
    ask(method, path, status, **({"json": values} if method == "POST" else {"params": values}))


def test_answers_about_documents(ask):
    handle = ask("POST", "/v2/document", data={"target_lang": "DE"}, files=FILE).json()
    path, key = f"/v2/document/{handle['document_id']}", {"document_key": handle["document_key"]}
    end = time.monotonic() + 30
    while ask("POST", path, json=key).json()["status"] != "done":
        assert time.monotonic() < end
        time.sleep(0.02)
    ask("POST", f"{path}/result", json=key)
    damaged = {"file": ("a.docx", b"no archive")}
    handle = ask("POST", "/v2/document", data={"target_lang": "DE"}, files=damaged).json()
    path, key = f"/v2/document/{handle['document_id']}", {"document_key": handle["document_key"]}
    while ask("POST", path, json=key).json()["status"] != "error":
        assert time.monotonic() < end
        time.sleep(0.02)


def test_answers_about_glossaries_of_version_two(ask):
    ask("GET", "/v2/glossary-language-pairs")
    made = ask("POST", "/v2/glossaries", 201, json=GLOSSARY | TSV).json()
    ask("GET", "/v2/glossaries")
    path = f"/v2/glossaries/{made['glossary_id']}"
    ask("GET", path)
    ask("GET", f"{path}/entries", headers={"Accept": "text/tab-separated-values"})
    ask("DELETE", path, 204)


def test_answers_about_glossaries_of_version_three(ask):
    dictionary = {name: value for name, value in GLOSSARY.items() if name != "name"} | TSV
    made = {"name": "g", "dictionaries": [dictionary]}
    path = f"/v3/glossaries/{ask('POST', '/v3/glossaries', 201, json=made).json()['glossary_id']}"
    ask("GET", "/v3/glossaries")
    ask("GET", path)
    ask("PATCH", path, json={"name": "h"})
    pair = {"source_lang": "en", "target_lang": "de"}
    ask("GET", f"{path}/entries", params=pair)
    ask("PUT", f"{path}/dictionaries", json=dictionary)
    ask("DELETE", f"{path}/dictionaries", 204, params=pair)
    ask("DELETE", path, 204)


def test_answers_about_translation_memories(ask, client):
    ask("GET", "/v3/translation_memories")
    languages = {"source": "en", "target": "de"}
    files = {"file": ("a.tsv", b"a\tOpen the file.\tAkte auf!\n")}
    made = client.post("/memories", data=languages, files=files).json()
    ask("GET", "/v3/translation_memories", params={"page": 0, "page_size": 25})
    memory = {"translation_memory_id": made["id"], "translation_memory_threshold": 80}
    ask("POST", "/v2/translate", json=TEXTS | memory)
    ask("POST", "/v2/translate", 404, json=TEXTS | {"translation_memory_id": "0" * 32})
    ask("POST", "/v2/document", data={"target_lang": "DE"} | memory, files=FILE)


def test_answers_about_style_rules(ask):
    rule = {"label": "a", "prompt": "Be brief."}
    made = {"name": "s", "language": "de", "custom_instructions": [rule]}
    path = f"/v3/style_rules/{ask('POST', '/v3/style_rules', 201, json=made).json()['style_id']}"
    for detailed in ("true", "false"):
        ask("GET", "/v3/style_rules", params={"detailed": detailed})
    ask("GET", path)
    ask("PATCH", path, json={"name": "t"})
    rules = {"punctuation": {"apostrophe": "use_curly_apostrophes"}}
    ask("PUT", f"{path}/configured_rules", json=rules)
    more = f"{path}/custom_instructions"
    one = f"{more}/{ask('POST', more, 201, json=rule).json()['id']}"
    ask("GET", one)
    ask("PUT", one, json=rule | {"source_language": "en"})
    ask("DELETE", one, 204)
    ask("DELETE", path, 204)
    ask("GET", path, 404)


def test_every_operation_that_docmt_has_was_checked(ask, specification, client):
    paths = client.get("/spec").json()["paths"]
    ours = {
        (method.upper(), re.sub(r"\{\w+\}", "{}", path))
        for path, methods in paths.items()
        if path.startswith(("/v2/", "/v3/"))
        for method in methods
    }
    ours -= {("POST", "/v2/languages"), ("POST", "/v2/usage")}  # as the first version has them
    # DeepL's own client asks for these.
    ours -= {(method, "/v3/translation_memories/{}") for method in ("GET", "DELETE")}
    checked = {(m, re.sub(r"\{\w+\}", "{}", p)) for m, p, status in specification.checked}
    assert checked == ours
