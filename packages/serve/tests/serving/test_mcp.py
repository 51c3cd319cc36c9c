"""The server of the Model Context Protocol, asked by the client of the official SDK."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import pytest

from docmt.memory import TranslationMemory, Unit
from docmt_files.base.documents import SentenceWarning
from docmt_serve.models.models import Model, Models
from shouting_translator import Shouting
from waiting_translator import Waiting

pytest.importorskip("mcp", reason="needs the package mcp")

from mcp import Client, StdioServerParameters
from mcp.types import ListRootsResult, Root

from docmt_serve.mcp.mcp_files import GrantedFiles
from docmt_serve.mcp.mcp_server import make_server

MODERN, LEGACY = "auto", "legacy"
"""The protocol of 2026, in which a server's question ends the call, and that before it."""


@pytest.fixture
def folder(tmp_path):
    """A folder that the client grants, beside a file that it does not."""
    granted = tmp_path / "granted"
    granted.mkdir()
    (tmp_path / "secret.md").write_text("A secret.\n")
    (granted / "guide.md").write_text("# Guide\n\nOpen the *file*.\n")
    (granted / "terms.tsv").write_text("board\tPlatine\nfile\tDatei\n")
    with TranslationMemory(granted / "m.db", ("en", "de"), create=True) as memory:
        memory.add([Unit("Open the file.", "Datei öffnen.")])
    return granted


def ask(*calls, roots=(), server=None, own=(), mode=MODERN, seen=None):
    """The results of tools, called one after another by a client that grants some folders."""

    async def granted(_):
        return ListRootsResult(roots=[Root(uri=folder.as_uri()) for folder in roots])

    async def progress(done, total, _):
        seen.append((done, total))

    async def results():
        used = server or make_server(Models([Model("m", Shouting("en", "de"))]), own)
        grants = granted if roots else None
        async with Client(used, mode=mode, list_roots_callback=grants) as client:
            show = None if seen is None else progress
            return [await client.call_tool(n, a, progress_callback=show) for n, a in calls]

    return in_a_loop(results)


def in_a_loop(function):
    """The result of a coroutine, in a thread: that of the tests may have a browser's loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(function())).result()


def error_of(*call, **grants):
    """The text of the error of a call."""
    (result,) = ask(call, **grants)
    assert result.is_error, result
    return result.content[0].text


def answer_of(*call, **grants):
    """The answer to a call."""
    (result,) = ask(call, **grants)
    assert not result.is_error, result.content
    return result.structured_content


@pytest.mark.parametrize("mode", [MODERN, pytest.param(LEGACY, marks=pytest.mark.slow)])
def test_a_text_is_translated(mode):
    answer = answer_of("translate_text", {"text": "Open it.\n\nNow.", "to": "de"}, mode=mode)
    assert answer["translation"] == "OPEN IT.\n\nNOW."
    assert answer["source_language"] == "en"


class Doubting(Shouting):
    """Finds something suspicious in the second sentence."""

    def translate(self, request, **_):
        doubt = SentenceWarning("numbers", "5 became 6")
        return [
            translation.with_sentences(
                sentence.warned([doubt] if index == 1 else [])
                for index, sentence in enumerate(translation.sentences)
            )
            for translation in super().translate(request)
        ]


def test_suspicious_sentences_of_a_text_are_listed():
    server = make_server(Models([Model("m", Doubting("en", "de"))]))
    call = "translate_text", {"text": "Go now. I am 5.", "to": "de"}
    (found,) = answer_of(*call, server=server)["to_check"]
    assert (found["place"], found["warning"]) == ("sentence 2", "numbers: 5 became 6")
    assert (found["source"], found["target"]) == ("I am 5.", "I AM 5.")


def test_suspicious_sentences_of_a_file_are_listed_with_their_place(folder):
    server = make_server(Models([Model("m", Doubting("en", "de"))]))
    call = "translate_file", {"path": "guide.md", "to": "de", "source_language": "en"}
    (found,) = answer_of(*call, server=server, roots=[folder])["to_check"]
    assert found["place"] == "line 3"
    assert found["warning"].endswith("numbers than the source: 5 became 6")
    assert (found["source"], found["target"]) == ("Open the file.", "OPEN THE FILE.")


def test_a_text_in_another_language_than_a_model_knows_is_told():
    text = "Ouvrez le fichier dans lequel vous avez écrit votre première lettre. "
    text += "Cliquez ensuite sur le bouton pour la supprimer tout de suite."
    answer = answer_of("translate_text", {"text": text, "to": "de"})
    assert answer["notes"] == ["the text is in French, it seems"]


def test_a_file_of_another_format_is_read_as_the_call_says(folder):
    (folder / "a.unknown").write_text("Open it.\n")
    call = {"path": "a.unknown", "to": "de"}
    assert "add `file_format=text`" in error_of("translate_file", call, roots=[folder])
    answer_of("translate_file", {**call, "file_format": "text"}, roots=[folder])
    assert (folder / "a.de.unknown").read_text() == "OPEN IT.\n"


def test_a_pair_without_a_model_is_an_error_for_the_model_to_read():
    said = error_of("translate_text", {"text": "Open it.", "to": "pl"})
    assert "pl is not supported as target language" in said


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_a_file_is_translated_beside_it_with_progress(folder, mode):
    seen = []
    call = ("translate_file", {"path": "guide.md", "to": "de", "source_language": "en"})
    answer = answer_of(*call, roots=[folder], mode=mode, seen=seen)
    assert answer["output"] == str(folder / "guide.de.md")
    assert (folder / "guide.de.md").read_text() == "# GUIDE\n\nOPEN THE *FILE*.\n"
    assert any("2 sentences" in note for note in answer["notes"])


def test_a_file_is_replaced_only_if_the_call_says_so(folder):
    (folder / "guide.de.md").write_text("by a person")
    call = {"path": str(folder / "guide.md"), "to": "de", "source_language": "en"}
    assert "is there already" in error_of("translate_file", call, roots=[folder])
    assert (folder / "guide.de.md").read_text() == "by a person"
    answer_of("translate_file", {**call, "overwrite": True}, roots=[folder])
    assert "OPEN" in (folder / "guide.de.md").read_text()


def test_a_cancelled_translation_ends_and_the_next_one_begins(folder):
    translator = Waiting()
    at_last = threading.Timer(10, translator.may_go_on.release, [10])
    at_last.start()
    server = make_server(Models([Model("m", translator)]), [folder])

    async def answers():
        async with Client(server) as client:
            call = {"path": "guide.md", "to": "de", "source_language": "en"}
            with anyio.move_on_after(0.5) as cancelled:
                await client.call_tool("translate_file", call)
            assert cancelled.cancelled_caught
            assert at_last.is_alive()
            at_last.cancel()
            translator.may_go_on.release(2)
            return await client.call_tool("translate_file", call)

    assert not in_a_loop(answers).is_error
    assert "OPEN" in (folder / "guide.de.md").read_text()


def test_the_source_is_never_the_output(folder):
    call = {"path": "guide.md", "to": "de", "output": "guide.md", "overwrite": True}
    error_of("translate_file", {**call, "source_language": "en"}, roots=[folder])
    assert (folder / "guide.md").read_text().startswith("# Guide")


def test_a_memory_and_a_glossary_are_used(folder):
    call = {"text": "Open the file.", "to": "de", "memory": "m.db"}
    assert answer_of("translate_text", call, roots=[folder])["translation"] == "Datei öffnen."
    call = {"text": "Open the file.", "to": "de", "glossary": "m.db"}
    assert "is not a glossary" in error_of("translate_text", call, roots=[folder])


def test_a_memory_is_looked_up(folder):
    call = "look_up_memory", {"memory": "m.db", "sentence": "Open the files."}
    (match,) = answer_of(*call, roots=[folder])["result"]
    assert (match["source"], match["translations"]) == ("Open the file.", ["Datei öffnen."])
    assert 0.75 <= match["rate"] < 1


def test_a_glossary_is_looked_up(folder):
    call = {"glossary": "terms.tsv", "text": "The Board.", "source_language": "en", "to": "de"}
    (found,) = answer_of("look_up_glossary", call, roots=[folder])["result"]
    assert (found["source"], found["translations"]) == ("Board", ["Platine"])


def test_a_translation_is_checked_as_text_and_as_file(folder):
    languages = {"source_language": "en", "to": "de"}
    both = {"source": "It has 15 parts.\nOpen it.", "translation": "Es hat 16 Teile.\nÖffnen."}
    (found,) = answer_of("check_text", {**both, **languages})["result"]
    assert (found["place"], found["warning"]) == ("line 1", "numbers: 15 became 16")
    for name, text in (("a.md", both["source"]), ("a.de.md", both["translation"])):
        (folder / name).write_text(text)
    files = {"source": "a.md", "translation": "a.de.md"}
    (found,) = answer_of("check_file", {**files, **languages}, roots=[folder])["result"]
    assert found["warning"] == "numbers: 15 became 16"


def test_texts_of_other_lines_are_checked_as_a_whole():
    both = {"source": "It has 15 parts.\nOpen it.", "translation": "Es hat 16 Teile. Öffnen."}
    call = "check_text", {**both, "source_language": "en", "to": "de"}
    assert [found["warning"] for found in answer_of(*call)["result"]] == ["numbers: 15 became 16"]


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_without_roots_no_file_is_read(folder, mode):
    call = "translate_file", {"path": str(folder / "guide.md"), "to": "de"}
    assert "the client grants no folder" in error_of(*call, mode=mode)


def test_a_folder_of_the_command_line_is_granted_too(folder):
    call = "translate_file", {"path": "guide.md", "to": "de", "source_language": "en"}
    assert answer_of(*call, own=[folder])["output"] == str(folder / "guide.de.md")


def errors_of(calls, **grants):
    """The texts of the errors of calls."""
    results = ask(*calls, **grants)
    assert all(result.is_error for result in results), results
    return [result.content[0].text for result in results]


def test_no_path_leads_out_of_the_roots(folder):
    outside = folder.parent / "secret.md"
    (folder / "link").symlink_to(outside)
    (folder / "deep").symlink_to(folder.parent)
    given = [("path", way) for way in ("../secret.md", "deep/secret.md", str(outside))]
    given += [(argument, "link") for argument in ("path", "output", "glossary", "memory")]
    call = {"path": "guide.md", "to": "de", "source_language": "en", "overwrite": True}
    calls = [("translate_file", {**call, argument: path}) for argument, path in given]
    for said in errors_of(calls, roots=[folder]):
        assert "is not in a granted folder" in said
    assert outside.read_text() == "A secret.\n"


def test_what_is_no_file_is_told(folder):
    paths = ("", ".", "none.md", "a\0b", "-", "a" * 5000)
    calls = [("translate_file", {"path": path, "to": "de"}) for path in paths]
    for said in errors_of(calls, roots=[folder]):
        assert "is not a file" in said or "is not a path" in said


def test_roots_of_other_machines_grant_nothing(folder):
    uris = [folder.as_uri(), "file://localhost/b%20c", "file://other/b", "file:", "https://a/b"]
    assert GrantedFiles.below(uris, [folder]).roots == (folder.resolve(), Path("/b c"))


def test_a_loop_of_links_is_told(folder):
    (folder / "loop").symlink_to(folder / "loop")
    said = error_of("translate_file", {"path": "loop", "to": "de"}, roots=[folder])
    assert "is not" in said


def test_tools_say_whether_they_change_files():
    async def tools():
        async with Client(make_server(Models([Model("m", Shouting("en", "de"))]))) as client:
            return (await client.list_tools()).tools

    changing = [tool.name for tool in in_a_loop(tools) if not tool.annotations.read_only_hint]
    assert changing == ["translate_file"]


def command(*options):
    """The command that a client starts."""
    arguments = ["-m", "docmt", "mcp", *options]
    return StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))


def test_the_command_speaks_over_standard_input_and_output(folder):
    both = {"source": "It has 15 parts.", "translation": "Es hat 16 Teile."}
    call = "check_text", {**both, "source_language": "en", "to": "de", "glossary": "terms.tsv"}
    (found,) = answer_of(*call, server=command(), roots=[folder])["result"]
    assert found["warning"] == "numbers: 15 became 16"


@pytest.mark.slow
@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_the_bundled_model_translates_a_file_of_a_client(folder, mode):
    calls = [
        ("languages", {}),
        ("translate_file", {"path": "guide.md", "to": "de", "glossary": "terms.tsv"}),
        ("translate_text", {"text": "Open the file.", "to": "de"}),
    ]
    seen = []
    known, file, text = ask(*calls, server=command(), roots=[folder], mode=mode, seen=seen)
    assert "de" in known.structured_content["en"]
    assert seen == [(2, 2)]
    assert "Datei" in (folder / "guide.de.md").read_text()
    assert file.structured_content["to_check"] == []
    assert text.structured_content["translation"] == "Öffnen Sie die Datei."
