"""The same random weights in three engines: llama.cpp, `transformers serve` and this process, which
is the oracle.

    pip install "llama-cpp-python[server]" gguf     # compiles llama.cpp, which takes minutes
    pip install "transformers[serving]"
    pytest -m slow tests/engines/test_real_engines.py
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from importlib.util import find_spec

import pytest
from safetensors.numpy import load_file, save_file

from causal_models import save_causal
from docmt_files.base.documents import Document
from docmt_llm.chat_model import ChatMessage, ChatRequest
from docmt_llm.endpoints.event_loop import run
from docmt_llm.in_process.causal_model import CausalModel
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_llm.language_model_settings import PromptSettings
from gguf_models import write_gguf
from language_models.endpoints import endpoint

pytestmark = pytest.mark.slow

CHATS = [
    (ChatMessage("user", "Translate “Open the file.” into German."),),
    (
        ChatMessage("system", "You translate."),
        ChatMessage("user", "Wer? — 12 Kühe,\n\n  und mehr …"),
        ChatMessage("assistant", "Who?"),
        ChatMessage("user", "And now: €5, 日本."),
    ),
]
TEXTS = ["Öffnen Sie die Datei.", '"Er sagte: „Ja, 5 €“."', "x" * 50, ""]

BATCH = {
    "type": "object",
    "properties": {name: {"type": "string", "maxLength": 12} for name in ("s7", "s8", "s9")},
    "required": ["s7", "s8", "s9"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a tiny Llama, with its weights also as `model.gguf` if that can be written."""
    folder = save_causal(tmp_path_factory.mktemp("engines") / "llama", max_position_embeddings=4096)
    prefer_ascii(folder)
    if find_spec("gguf") is not None:
        write_gguf(folder, folder / "model.gguf")
    return folder


def prefer_ascii(folder):
    """Take from tokens that are not ASCII what makes them probable: each engine has its own way to
    write bytes that are not UTF-8."""
    weights = load_file(folder / "model.safetensors")
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    odd = [i for token, i in vocabulary.items() if not token.replace("Ġ", " ").isascii()]
    weights["lm_head.weight"][odd] = 0
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


@pytest.fixture(scope="module")
def oracle(folder):
    """The model in this process."""
    return CausalModel.load(str(folder), device="cpu", precision="fp32")


@pytest.fixture(scope="module")
def llama_cpp(folder):
    """The URL of llama.cpp's server, with 32-bit keys and values as the oracle has them."""
    for package in ("llama_cpp", "sse_starlette", "gguf"):
        pytest.importorskip(package, reason="needs llama-cpp-python[server] and gguf")
    options = {
        "logits_all": "true",
        "n_ctx": "4096",
        "n_threads": "1",
        "type_k": "0",
        "type_v": "0",
    }
    arguments = [text for key, value in options.items() for text in (f"--{key}", value)]
    model = ["--model", str(folder / "model.gguf")]
    with serving(["-m", "llama_cpp.server", *model, *arguments]) as url:
        yield url


@pytest.fixture(scope="module")
def transformers_serve(folder):
    """The URL of `transformers serve`."""
    for package in ("fastapi", "uvicorn", "openai"):
        pytest.importorskip(package, reason="needs transformers[serving]")
    main = "from transformers.cli.transformers import main; main()"
    with serving(["-c", main, "serve", "--device", "cpu", "--dtype", "float32"], "health") as url:
        yield url


@contextmanager
def serving(arguments, ready="v1/models"):
    """Start a server on a free port of this machine, and give its URL while it runs.

    Args:
        ready: the path that it answers when it is ready.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, *arguments, "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        try:
            wait_for(f"{url}/{ready}", server)
            yield f"{url}/v1"
        finally:
            server.terminate()


def wait_for(url, server, seconds=120):
    """Wait until a server answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    server.kill()
    pytest.fail(f"the server does not start:\n{server.stdout.read().decode()[-2000:]}")


def ask(model, chat, tokens=20, **changes):
    return run(model.answer(ChatRequest(chat, tokens, **changes)))


@pytest.mark.parametrize("chat", CHATS, ids=["question", "chat"])
@pytest.mark.parametrize("text", TEXTS)
def test_log_probabilities_of_given_text_are_those_of_llama_cpp(oracle, llama_cpp, chat, text):
    expected = run(oracle.log_probabilities(chat, text))
    body = {
        "prompt": f"{oracle.prompt(chat)}{text}<|im_end|>",
        "echo": True,
        "logprobs": 1,
        "max_tokens": 1,
        "temperature": 0,
    }
    request = urllib.request.Request(
        f"{llama_cpp}/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        values = json.load(reply)["choices"][0]["logprobs"]["token_logprobs"]
    found = values[-1 - len(expected) : -1]  # the last one is written by the model
    assert found == pytest.approx([one.log_probability for one in expected], abs=1e-4)


@pytest.mark.parametrize("chat", CHATS, ids=["question", "chat"])
def test_llama_cpp_gives_the_same_greedy_answer(oracle, llama_cpp, chat):
    found, expected = ask(endpoint(llama_cpp, "llama.cpp", wait=1), chat), ask(oracle, chat)
    assert (found.text, found.finish_reason) == (expected.text, expected.finish_reason)
    assert found.usage.prompt == expected.usage.prompt


@pytest.mark.parametrize("seed", range(5))
def test_constrained_batches_of_llama_cpp_parse_at_any_seed(llama_cpp, seed):
    model = endpoint(llama_cpp, "llama.cpp", wait=1, temperature=1.0, structured="schema")
    answer = ask(model, CHATS[0], tokens=400, schema=BATCH, seed=seed)
    assert answer.finish_reason == "stop"
    value = json.loads(answer.text)
    assert list(value) == BATCH["required"]
    assert all(isinstance(text, str) and len(text) <= 12 for text in value.values())


@pytest.mark.parametrize("chat", CHATS, ids=["question", "chat"])
def test_transformers_serve_gives_the_same_greedy_answer(folder, oracle, transformers_serve, chat):
    model = endpoint(transformers_serve, "openai", wait=1, model=str(folder), timeout=60)
    found, expected = ask(model, chat), ask(oracle, chat)
    assert found.text == expected.text
    assert found.usage.prompt == expected.usage.prompt
    assert found.usage.completion == expected.usage.completion


def test_transformers_serve_answers_as_if_there_were_no_schema(folder, transformers_serve):
    model = endpoint(transformers_serve, "openai", wait=1, model=str(folder), timeout=60)
    assert ask(model, CHATS[0], schema=BATCH).text == ask(model, CHATS[0]).text
    assert not model.adjustments


def test_every_sentence_has_one_translation_whatever_a_random_model_says(oracle, llama_cpp):
    source = ("Open the file.", "", "Close it.", "Who is there?")
    for shape in ("sentence", "batch"):
        settings = PromptSettings(shape=shape, max_tokens_factor=0.5)
        for model in (oracle, endpoint(llama_cpp, "llama.cpp", wait=1)):
            translator = LanguageModelTranslator.of(model, ("en", "de"), request=settings)
            (translation,) = translator.translate([Document("one", source)])
            assert len(translation.document.target) == len(source)
            assert translation.document.target[1] == ""
