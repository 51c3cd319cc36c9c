"""The description of the routes is valid, complete, and what requests are checked against."""

from __future__ import annotations

import re

import pytest
from pydantic import TypeAdapter
from starlette.routing import Route

from docmt_serve.models.models import Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.web.app import make_app


@pytest.fixture
def app(model, tmp_path):
    return make_app(Service.of(ServiceSettings(), Models([model]), tmp_path))


@pytest.fixture
def spec(client):
    return client.get("/spec").json()


def _operations(spec):
    return [
        (path, method, operation)
        for path, methods in spec["paths"].items()
        for method, operation in methods.items()
    ]


def _references(value):
    """The references in a part of the description."""
    if isinstance(value, list):
        return {name for each in value for name in _references(each)}
    if not isinstance(value, dict):
        return set()
    own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
    return own.union(*map(_references, value.values()))


def test_every_route_of_the_app_is_described_and_no_other(app, spec):
    routes = {
        (route.path, method.lower())
        for route in app.routes
        if isinstance(route, Route)
        for method in route.methods - {"HEAD"}
    }
    assert len(routes) > 35
    assert {(path, method) for path, method, _ in _operations(spec)} == routes


def test_every_operation_has_a_summary_an_id_and_answers(spec):
    operations = [operation for _, _, operation in _operations(spec)]
    assert spec["openapi"] == "3.1.0"
    assert all(operation["summary"].endswith(".") for operation in operations)
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    for operation in operations:
        statuses = operation["responses"].keys() - {"default"}
        assert len(statuses) == 1
        assert statuses <= {"200", "201", "202", "204"}
        error = operation["responses"]["default"]["content"]["application/json"]["example"]
        of_apertium = ["status", "code", "message", "explanation"]
        assert list(error) in (["error"], ["message"], of_apertium)


def test_parameters_of_paths_are_described(spec):
    for path, _, operation in _operations(spec):
        described = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
        assert described == set(re.findall(r"{(\w+)}", path))


def test_every_reference_leads_to_a_schema(spec):
    schemas = {f"#/components/schemas/{name}" for name in spec["components"]["schemas"]}
    assert len(schemas) > 20
    assert _references(spec) <= schemas


def test_the_description_follows_the_standard(spec):
    validator = pytest.importorskip(
        "openapi_spec_validator", reason="needs the package openapi-spec-validator"
    )
    validator.validate(spec)


def test_values_of_questions_are_parameters_and_others_a_body_of_all_forms(spec):
    languages = spec["paths"]["/v2/languages"]
    assert [p["name"] for p in languages["get"]["parameters"]] == ["auth_key", "type"]
    assert languages["post"]["requestBody"]["content"].keys() == {
        "application/json", "application/x-www-form-urlencoded", "multipart/form-data"
    }  # fmt: skip
    upload = spec["paths"]["/jobs"]["post"]["requestBody"]
    assert (upload["required"], list(upload["content"])) == (True, ["multipart/form-data"])


def test_bodies_of_examples_are_accepted_and_answered_as_described(app, client):
    checked = 0
    for route in app.routes:
        if route.asks is None or "POST" not in route.methods or "{" in route.path:
            continue
        for example in route.asks.model_json_schema().get("examples", []):
            answer = client.post(route.path, json=example)
            assert answer.status_code == route.status, answer.text
            TypeAdapter(route.answers).validate_python(answer.json())
            checked += 1
    assert checked >= 6


@pytest.mark.parametrize(
    "wrong",
    [
        {"a": {}},
        [None],
        10**40,
        *(pytest.param(v, marks=pytest.mark.slow) for v in (5, {}, [[]], True, 1e308, -1)),
    ],
)
def test_wrong_values_are_errors_of_the_api_and_never_internal(app, client, wrong):
    for route in app.routes:
        if route.asks is None or "GET" in route.methods:
            continue
        path = re.sub(r"{\w+}", "0", route.path)
        for name in route.asks.model_json_schema()["properties"]:
            for method in route.methods:
                answer = client.request(method, path, json={name: wrong})
                assert 400 <= answer.status_code < 500, (path, name, answer.text)
                assert answer.json().keys() <= {"error", "message"}
