"""Translation memories of the service: added, listed, used, suggested to, and kept apart."""

from __future__ import annotations

import time

import pytest

from docmt.memory.tmx_units import read_tmx
from docmt_serve.models.models import Model, Models
from docmt_serve.stores.api_keys import add_key
from docmt_serve.stores.memory_store import MemoryStore
from shouting_translator import Shouting

ASKED = {"text": ["Open the file. Close it."], "source_lang": "EN", "target_lang": "DE"}
PAIR = {"source": "en", "target": "de"}
ROWS = b"a\tOpen the file.\tAkte auf!\n"


@pytest.fixture
def shouting(client_of):
    """Makes a client of a service that shouts, with some settings."""
    return lambda **settings: client_of(Models([Model("en-de", Shouting("en"))]), **settings)


def _add(client, content=ROWS, file="a.tsv", **values):
    return client.post("/memories", data=PAIR | values, files={"file": (file, content)})


def _translated(client, **values):
    answer = client.post("/v2/translate", json=ASKED | values)
    assert answer.status_code == 200, answer.text
    return answer.json()["translations"][0]["text"]


def test_a_memory_is_added_listed_used_read_and_deleted(shouting, tmp_path):
    client = shouting()
    assert _add(client, other="a").status_code == 400
    made = _add(client, file="../corporate.tsv", name="Corporate")
    assert (made.status_code, made.json()["units"]) == (201, 1)
    memory_id = made.json()["id"]
    assert client.get("/v3/translation_memories").json() == {
        "translation_memories": [
            {
                "translation_memory_id": memory_id,
                "name": "Corporate",
                "source_language": "en",
                "target_languages": ["de"],
                "segment_count": 1,
            }
        ],
        "total_count": 1,
    }
    assert client.get("/v3/translation_memories?page=1").json()["translation_memories"] == []
    assert _translated(client, translation_memory_id=memory_id) == "Akte auf! CLOSE IT."
    assert _translated(client) == "OPEN THE FILE. CLOSE IT."
    (tmp_path / "m.tmx").write_bytes(client.get(f"/memories/{memory_id}").content)
    assert [u.target for u in read_tmx(tmp_path / "m.tmx", ("en", "de"), print)] == ["Akte auf!"]
    assert client.delete(f"/memories/{memory_id}").status_code == 204
    for path in (f"/memories/{memory_id}", "/memories/none"):
        assert client.get(path).status_code == 404
    assert not [*tmp_path.glob("memories/*")]


def test_a_document_is_translated_with_a_memory(shouting):
    client = shouting()
    memory_id = _add(client).json()["id"]
    files = {"file": ("a.md", b"# Open the file.\n\nGo on.\n")}
    asked = {"target_lang": "DE", "source_lang": "EN", "translation_memory_id": memory_id}
    handle = client.post("/v2/document", data=asked, files=files).json()
    path, key = f"/v2/document/{handle['document_id']}", {"document_key": handle["document_key"]}
    end = time.monotonic() + 30
    while client.post(path, json=key).json()["status"] != "done":
        assert time.monotonic() < end
        time.sleep(0.02)
    assert client.post(f"{path}/result", json=key).text == "# Akte auf!\n\nGO ON.\n"


def test_a_file_of_a_job_is_translated_with_a_memory_of_the_list(shouting):
    client = shouting()
    _add(client)
    (memory,) = client.get("/memories").json()
    assert (memory["name"], memory["source"], memory["units"]) == ("a.tsv", "en", 1)
    files = {"file": ("a.md", b"# Open the file.\n\nGo on.\n")}
    assert client.post("/jobs", data=PAIR | {"memory": "0" * 32}, files=files).status_code == 404
    job = client.post("/jobs", data=PAIR | {"memory": memory["id"]}, files=files).json()["id"]
    end = time.monotonic() + 30
    while client.get(f"/jobs/{job}").json()["status"] != "done":
        assert time.monotonic() < end
        time.sleep(0.02)
    assert client.get(f"/jobs/{job}/result").text == "# Akte auf!\n\nGO ON.\n"


def test_penalties_keep_a_match_from_being_taken(shouting):
    client = shouting()
    memory_id = _add(client, b"a\tOpen The File.\tAkte auf!\n").json()["id"]
    taken = "Akte auf! CLOSE IT."
    anew = "OPEN THE FILE. CLOSE IT."
    for penalties, expected in (("", anew), ("case=0", taken), ("case=0,tags=5", taken)):
        asked = {"translation_memory_penalties": penalties, "translation_memory_id": memory_id}
        assert _translated(client, **asked) == expected
    files = {"file": ("a.md", b"# Open the file.\n\nGo on.\n")}
    for penalties, expected in (("case=0", "# Akte auf!"), ("", "# OPEN THE FILE.")):
        data = PAIR | {"memory": memory_id, "memory_penalties": penalties}
        job = client.post("/jobs", data=data, files=files).json()["id"]
        end = time.monotonic() + 30
        while client.get(f"/jobs/{job}").json()["status"] != "done":
            assert time.monotonic() < end
            time.sleep(0.02)
        assert client.get(f"/jobs/{job}/result").text == f"{expected}\n\nGO ON.\n"


@pytest.mark.parametrize("penalties", ["kase=1", "case", "case=101", "case=-1", "case=nan"])
def test_penalties_that_cannot_be_read_are_refused(shouting, penalties):
    client = shouting()
    files = {"file": ("a.md", b"Go on.\n")}
    job = client.post("/jobs", data=PAIR | {"memory_penalties": penalties}, files=files)
    assert (job.status_code, "case=1,tags=2" in job.json()["error"]) == (400, True)
    asked = ASKED | {"translation_memory_penalties": penalties}
    answer = client.post("/v2/translate", json=asked)
    assert (answer.status_code, "case=1,tags=2" in answer.json()["message"]) == (400, True)


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"translation_memory_id": "0" * 32}, 404),
        ({"translation_memory_id": "../a"}, 404),
        ({"translation_memory_threshold": 101}, 400),
        ({"translation_memory_threshold": "many"}, 400),
    ],
)
def test_errors_have_a_message(shouting, values, status):
    answer = shouting().post("/v2/translate", json=ASKED | values)
    assert (answer.status_code, list(answer.json())) == (status, ["message"])


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"<tmx>", "a.tmx", "a.tmx, line 1: is not valid XML"),
        (b"Open.", "a.md", "a.md: does not have both languages"),
        (b"a\tOpen.\n", "a.tsv", "has no translations"),
        (b"", "a.po", "there are no approved translations"),
    ],
)
def test_a_file_that_is_no_memory_is_refused_and_leaves_nothing(
    shouting, tmp_path, content, name, message
):
    answer = _add(shouting(), content, name)
    assert (answer.status_code, str(tmp_path) in answer.text) == (400, False)
    assert message in answer.json()["error"]
    assert not [*tmp_path.glob("memories/*")]


def test_a_memory_of_other_languages_is_refused_by_name(shouting):
    client = shouting()
    memory_id = _add(client, target="fr").json()["id"]
    answer = client.post("/v2/translate", json=ASKED | {"translation_memory_id": memory_id})
    assert (answer.status_code, answer.json()["message"]) == (
        400, "the translation memory is from en to fr"
    )  # fmt: skip


def test_suggestions_are_refused_where_they_are_not_collected(shouting):
    refused = shouting().post("/suggest", json={"q": "Open it.", "s": "Auf!", **PAIR})
    assert (refused.status_code, "disabled" in refused.json()["error"]) == (403, True)


def test_suggestions_are_used_and_kept_apart_by_account(shouting, tmp_path):
    keys = [add_key(tmp_path / "keys.toml", name) for name in ("one", "two")]
    client = shouting(keys=tmp_path / "keys.toml", suggestions=True)
    assert client.get("/frontend/settings").json()["suggestions"] is True
    for q, s in (("Open the file. Close it.", "Akte auf. Akte zu."), ("Go on.", "Weiter.")):
        asked = {"q": q, "s": s, "api_key": keys[0], **PAIR}
        assert client.post("/suggest", json=asked).json() == {"success": True}
    listed = [
        client.get("/v3/translation_memories", headers={"Authorization": f"DeepL-Auth-Key {key}"})
        for key in keys
    ]
    (memory,), others = (each.json()["translation_memories"] for each in listed)
    assert (memory["name"], memory["segment_count"], others) == ("Suggestions", 3, [])
    used = {"translation_memory_id": memory["translation_memory_id"]}
    assert _translated(client, auth_key=keys[0], **used) == "Akte auf. Akte zu."
    answer = client.post("/v2/translate", json=ASKED | used | {"auth_key": keys[1]})
    assert answer.status_code == 404
    assert _add(client).status_code == 403  # without a key


def test_memories_are_there_after_a_restart(shouting, tmp_path):
    memory_id = _add(shouting()).json()["id"]
    (tmp_path / "memories" / "damaged.json").write_text("{")
    store = MemoryStore(tmp_path / "memories")
    store.open()
    assert [memory.id for memory in store.of("")] == [memory_id]


def test_an_account_has_limits(shouting, monkeypatch):
    client = shouting()
    memory_id = _add(client).json()["id"]
    monkeypatch.setattr("docmt_serve.stores.memory_store.MemoryStore.max_stored", 1000)
    assert _add(client).status_code == 456
    monkeypatch.setattr("docmt_serve.stores.account_store._MOST", 1)
    client.delete(f"/memories/{memory_id}")
    assert _add(client).status_code == 456
    assert client.get("/v3/translation_memories").json()["total_count"] == 0
