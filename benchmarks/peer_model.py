"""A language model behind an endpoint that knows the words of other programs' test suites.

The suites ask for translations such as "proton beam" in thirty languages, for forms of address and
for terms of a glossary. The model follows the prompts of docmt, so that a suite tests the service
and not a translator. Sentences that the model does not know get other vowels.
"""

from __future__ import annotations

import ast
import json
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from docmt_llm.prompting.prompts import prompt_language

_OTHER_VOWELS = str.maketrans("aeiouAEIOU", "eiouaEIOUA")

_WORDS = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)

_GERMAN = {
    "My First Heading": "Meine erste Überschrift",
    "A document's title": "Der Titel eines Dokuments",
    "Hello, world": "Hallo, Welt",
}

_HOW_ARE_YOU = {"informally": "Wie geht es dir?", "formally": "Wie geht es Ihnen?"}


def example_texts(deepl_python: Path | None) -> dict[str, str]:
    """The translations of one text that a checkout of deepl-python has, by language."""
    found = {"en": "proton beam", "de": "Protonenstrahl", "es": "haz de protones"}
    found["zh-Hant"] = "質子束"
    if deepl_python is not None:
        tree = ast.parse((deepl_python / "tests" / "conftest.py").read_text("utf-8"))
        for node in tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "example_text":
                texts = ast.literal_eval(node.value)
                found |= {_tag(code): text for code, text in texts.items()}
    return found


def _tag(code: str) -> str:
    """A code of DeepL, such as `PT-BR`, as a tag."""
    language, hyphen, region = code.partition("-")
    return f"{language.lower()}{hyphen}{region}"


class PeerModel:
    """The model.

    Args:
        examples: translations of one text, by language.
    """

    def __init__(self, examples: Mapping[str, str]) -> None:
        self._by_name = {prompt_language(code): text for code, text in examples.items()}
        self._examples = set(examples.values())

    def answer(self, messages: list[dict[str, Any]]) -> str:
        """The answer to a request of docmt for one sentence, or to any other chat."""
        system = str(messages[0]["content"])
        asked = re.match(r"You translate a document from (.+) into (.+), one", system)
        if asked is None:
            return '{"answer": "yes"}'
        users = [message["content"] for message in messages if message["role"] == "user"]
        data, _ = json.JSONDecoder().raw_decode(users[0])
        text = self._translated(data, asked[2], system)
        return json.dumps(text, ensure_ascii=False)

    def _translated(self, data: Mapping[str, Any], target: str, system: str) -> str:
        sentence = str(data["sentence"])
        terms = {term["source"]: term["translations"][0] for term in data.get("terms", ())}
        for source, translation in terms.items():
            sentence = sentence.replace(source, translation)
        if terms:
            return sentence
        if sentence == "How are you?" and target == "German":
            address = "informally" if "informally" in system else "formally"
            return _HOW_ARE_YOU[address]
        before, words, after = _WORDS.match(sentence).groups()  # type: ignore[union-attr]
        if words in self._examples:
            return f"{before}{self._by_name.get(target, words)}{after}"
        if target == "German" and words in _GERMAN:
            return f"{before}{_GERMAN[words]}{after}"
        other = sentence.translate(_OTHER_VOWELS)
        return other.upper() if "gives these instructions" in system else other


@contextmanager
def serving(model: PeerModel) -> Iterator[str]:
    """Answer as OpenAI's chat completions do, on loopback. Yields the base URL."""

    async def chat(request: Request) -> JSONResponse:
        content = model.answer((await request.json())["messages"])
        choice = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        return JSONResponse({"choices": [choice]})

    async def models(_: Request) -> JSONResponse:
        return JSONResponse({"data": [{"id": "peer", "owned_by": "benchmark"}]})

    app = Starlette(
        routes=[Route("/v1/chat/completions", chat, methods=["POST"]), Route("/v1/models", models)]
    )
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            server.should_exit = True
            thread.join()
