"""Clients for Node.js that others wrote work with docmt, unmodified.

They are found as Node.js finds packages, such as with `npm install --prefix FOLDER libretranslate
deepl-node` and `NODE_PATH=FOLDER/node_modules`; each skips where it is not installed.
"""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.node

OPENED = "Öffnen Sie die Datei."


@pytest.fixture
def run_node(server, tmp_path):
    """Runs a script that has the address of a service and a key. Returns what the script's `done`
    was called with."""
    if shutil.which("node") is None:
        pytest.skip("needs Node.js")

    def run(package, script):
        find = ["node", "-e", f"require.resolve('{package}')"]
        if subprocess.run(find, capture_output=True, check=False).returncode:
            pytest.skip(f"needs the package {package} of npm, found by NODE_PATH")
        whole = (
            f"const [url, key] = process.argv.slice(1); const client = require('{package}');"
            "const done = value => console.log(JSON.stringify(value));"
            f"(async () => {{ {script} }})().catch(e => {{ console.error(e); process.exit(1) }})"
        )
        command = ["node", "-e", whole, *server]
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run


def test_libretranslate_translates_a_text(run_node):
    script = """
        const asked = {query: "Open the file.", source: "en", target: "de"};
        done([
            await client.translate({...asked, apiurl: url, apiKey: key}),
            await client.translate({...asked, source: "auto", apiurl: url, apiKey: key}),
        ]);
    """
    assert run_node("libretranslate", script) == [OPENED, OPENED]


def test_deepl_translates_texts_and_says_what_there_is(run_node):
    script = """
        const deepl = new client.DeepLClient(key, {serverUrl: url, sendPlatformInfo: false});
        const [one, two] = await deepl.translateText(["Open the file.", "12"], "en", "de");
        const usage = await deepl.getUsage();
        done({
            one, two: two.text, limit: usage.anyLimitReached(), count: usage.character.count,
            sources: (await deepl.getSourceLanguages()).map(each => each.code),
            targets: (await deepl.getTargetLanguages()).map(each => each.code),
            pairs: await deepl.getGlossaryLanguagePairs(),
        });
    """
    told = run_node("deepl-node", script)
    assert told["one"]["text"] == OPENED
    assert (told["one"]["detectedSourceLang"], told["one"]["billedCharacters"]) == ("en", 14)
    assert (told["two"], told["limit"], told["count"] >= 14) == ("12", False, True)
    assert (told["sources"], told["targets"]) == (["en"], ["de"])
    assert told["pairs"] == [{"sourceLang": "en", "targetLang": "de"}]


def test_deepl_translates_a_document(run_node, tmp_path):
    (tmp_path / "a.md").write_text("Open the **file**.\n")
    script = """
        const deepl = new client.DeepLClient(key, {serverUrl: url, sendPlatformInfo: false});
        const handle = await deepl.uploadDocument("a.md", "en", "de");
        const {status} = await deepl.isDocumentTranslationComplete(handle);
        await deepl.downloadDocument(handle, "b.md");
        done([status.done(), status.billedCharacters]);
    """
    assert run_node("deepl-node", script) == [True, 19]
    assert (tmp_path / "b.md").read_text("utf-8") == "Öffnen Sie die **Datei**.\n"


def test_deepl_uses_glossaries_of_version_two(run_node):
    script = """
        const deepl = new client.DeepLClient(key, {serverUrl: url, sendPlatformInfo: false});
        const entries = new client.GlossaryEntries({entries: {folder: "Mappe"}});
        const glossary = await deepl.createGlossary("two", "en", "de", entries);
        const read = (await deepl.getGlossaryEntries(glossary)).entries();
        const all = await deepl.listGlossaries();
        const listed = all.some(each => each.glossaryId == glossary.glossaryId);
        const text = (await deepl.translateText("Delete the folder.", "en", "de", {glossary})).text;
        await deepl.deleteGlossary(glossary);
        done({count: glossary.entryCount, ready: glossary.ready, read, listed, text});
    """
    told = run_node("deepl-node", script)
    assert "Mappe" in told.pop("text")
    assert told == {"count": 1, "ready": True, "read": {"folder": "Mappe"}, "listed": True}


def test_deepl_uses_glossaries_of_version_three(run_node):
    script = """
        const deepl = new client.DeepLClient(key, {serverUrl: url, sendPlatformInfo: false});
        const dictionary = (sourceLangCode, targetLangCode, entries) => ({
            sourceLangCode, targetLangCode, entries: new client.GlossaryEntries({entries})});
        const glossary = await deepl.createMultilingualGlossary("three", [
            dictionary("en", "de", {folder: "Mappe"}), dictionary("de", "en", {Mappe: "map"})]);
        await deepl.updateMultilingualGlossaryDictionary(
            glossary, dictionary("en", "de", {file: "Akte"}));
        const read = await deepl.getMultilingualGlossaryDictionaryEntries(glossary, "en", "de");
        const text = (await deepl.translateText(
            "Delete the folder.", "en", "de", {glossary: glossary.glossaryId})).text;
        const replaced = await deepl.replaceMultilingualGlossaryDictionary(
            glossary, dictionary("en", "de", {file: "Akte"}));
        await deepl.deleteMultilingualGlossaryDictionary(glossary, "de", "en");
        const renamed = await deepl.updateMultilingualGlossaryName(glossary, "four");
        const names = (await deepl.listMultilingualGlossaries()).map(each => each.name);
        await deepl.deleteMultilingualGlossary(glossary);
        done({
            made: glossary.dictionaries.length, read: read.entries.entries(), text,
            replaced: replaced.entryCount, left: renamed.dictionaries.length, names,
        });
    """
    told = run_node("deepl-node", script)
    assert (told["made"], told["replaced"], told["left"]) == (2, 1, 1)
    assert told["read"] == {"folder": "Mappe", "file": "Akte"}
    assert "Mappe" in told["text"]
    assert "four" in told["names"]
