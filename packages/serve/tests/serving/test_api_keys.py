"""Who has a key may use the service, as much as the key grants."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from docmt_files.base.errors import InputError
from docmt_serve.models.models import Model, Models
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.stores.api_keys import ApiKeys, KeySettings, add_key
from waiting_translator import Waiting

ASKED = {"q": "Open the file.", "source": "en", "target": "de"}
_SHA = "0" * 64


class Clock:
    def __init__(self, now=0.0):
        self.now = now

    def __call__(self):
        return self.now


def _keys(clock, **limits):
    return ApiKeys((KeySettings(name="one", sha256=_SHA, **limits),), clock=clock)


def test_a_key_is_kept_as_a_digest_only(tmp_path):
    path = tmp_path / "keys.toml"
    keys = {name: add_key(path, name) for name in ("one", "two")}
    assert path.stat().st_mode & 0o777 == 0o600
    assert not any(key in path.read_text() for key in keys.values())
    known = ApiKeys.read(path)
    assert {name: known.account_of(key) for name, key in keys.items()} == {n: n for n in keys}
    with pytest.raises(InputError, match="already"):
        add_key(path, "one")


@pytest.mark.parametrize("key", [None, "", "wrong", "\ud800"])
def test_a_missing_or_wrong_key_is_refused(tmp_path, key):
    add_key(tmp_path / "keys.toml", "one")
    with pytest.raises(ServiceError) as error:
        ApiKeys.read(tmp_path / "keys.toml").account_of(key)
    assert error.value.status == 403


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[key]", "not valid TOML"),
        ("[[key]]\nname = 'a'", "sha256"),
        (f"[[key]]\nname = 'a'\nsha256 = '{_SHA}'\nquota = 5", "unknown key"),
        (f"[[key]]\nname = 'a'\nsha256 = '{_SHA}'\n" * 2, "two keys are named"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path, text, message):
    path = tmp_path / "keys.toml"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(InputError, match=message):
        ApiKeys.read(path)


def test_a_file_that_others_may_read_is_refused(tmp_path):
    path = tmp_path / "keys.toml"
    add_key(path, "one")
    path.chmod(0o640)
    with pytest.raises(InputError, match="may be read by others"):
        ApiKeys.read(path)


def test_requests_come_back_in_the_course_of_a_minute():
    clock = Clock()
    keys = _keys(clock, requests_per_minute=2)
    keys.charge("one", 5)
    keys.charge("one", 5)
    with pytest.raises(ServiceError) as error:
        keys.charge("one", 5)
    assert (error.value.status, error.value.headers) == (429, {"Retry-After": "31"})
    clock.now = 30.0
    keys.charge("one", 5)
    assert keys.usage("one") == (15, None)


def test_a_text_that_is_larger_than_a_minute_grants_passes_when_nothing_else_did():
    clock = Clock()
    keys = _keys(clock, characters_per_minute=100)
    keys.charge("one", 500)
    with pytest.raises(ServiceError):
        keys.charge("one", 1)
    clock.now = 300.0
    keys.charge("one", 1)


def test_the_quota_of_a_month_outlives_the_service_and_ends_with_the_month(tmp_path):
    now, settings = Clock(), (KeySettings(name="one", sha256=_SHA, characters_per_month=10),)
    file = tmp_path / "usage.json"
    first = ApiKeys(settings, file, now=now)
    first.charge("one", 8)
    first.close()
    again = ApiKeys(settings, file, now=now)
    assert again.usage("one") == (8, 10)
    with pytest.raises(ServiceError) as error:
        again.charge("one", 3)
    assert error.value.status == 456
    now.now = 32 * 86_400
    again.charge("one", 3)
    assert again.usage("one") == (3, 10)


@pytest.mark.parametrize("text", ["", "[]", '{"month": 1}', '{"month": "1970-01", "used": [1]}'])
def test_a_damaged_record_of_usage_counts_as_none(tmp_path, text):
    file = tmp_path / "usage.json"
    file.write_text(text)
    assert ApiKeys((), file, now=Clock()).usage("one") == (0, None)


def test_a_service_with_keys_answers_those_who_have_one(client_of, tmp_path):
    key = add_key(tmp_path / "keys.toml", "one")
    client = client_of(keys=tmp_path / "keys.toml")
    refused = client.post("/translate", json=ASKED | {"api_key": None})
    assert (refused.status_code, list(refused.json())) == (403, ["error"])
    assert client.post("/translate", json=ASKED | {"api_key": "wrong"}).status_code == 403
    for given in (
        {"json": ASKED | {"api_key": key}},
        {"data": ASKED | {"api_key": key}},
        {"json": ASKED, "headers": {"Authorization": f"Bearer {key}"}},
        {"json": ASKED, "headers": {"Authorization": f"DeepL-Auth-Key {key}"}},
    ):
        assert client.post("/translate", **given).status_code == 200
    assert client.get("/frontend/settings").json()["keyRequired"] is True
    assert client.post("/translate_file", data=ASKED).status_code == 403
    assert client.get("/languages").status_code == 200


def test_requests_that_share_a_translation_and_detections_each_count(client_of, tmp_path):
    path = tmp_path / "keys.toml"
    key = add_key(path, "one")
    path.write_text(path.read_text() + "requests_per_minute = 3\n")
    translator = Waiting()
    client = client_of(Models([Model("m", translator)]), keys=path)
    headers = {"Authorization": f"Bearer {key}"}
    with ThreadPoolExecutor(5) as pool:
        asked = [
            pool.submit(client.post, "/translate", json=ASKED, headers=headers) for _ in range(5)
        ]
        while sum(each.done() for each in asked) < 2:
            time.sleep(0.01)
        translator.may_go_on.release()
    assert sorted(each.result().status_code for each in asked) == [200, 200, 200, 429, 429]
    assert client.get("/v2/usage", headers=headers).json()["character_count"] == 14
    assert client.post("/detect", json={"q": "a"}, headers=headers).status_code == 429
    assert client.post("/detect", json={"q": "a"}).status_code == 403
