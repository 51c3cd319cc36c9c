"""A decoder-only model in this process: answers, log-probabilities, limits, and what is refused."""

from __future__ import annotations

import asyncio
import json
import math
import shutil

import pytest
import torch
import transformers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from causal_models import save_causal
from docmt_files.base.errors import InputError
from docmt_llm.chat_model import ChatMessage, ChatRequest, ContextTooLongError
from docmt_llm.endpoints.event_loop import run
from docmt_llm.in_process.causal_model import CausalModel

CHAT = (
    ChatMessage("system", "You translate."),
    ChatMessage("user", "Translate “Open the file.” into German."),
)
PROMPT = (
    "<s><|im_start|>system\nYou translate.<|im_end|>\n"
    "<|im_start|>user\nTranslate “Open the file.” into German.<|im_end|>\n"
    "<|im_start|>assistant\n"
)


def ask(model, tokens=24, **changes):
    return run(model.answer(ChatRequest(CHAT, tokens, **changes)))


def decoded(model, answer, messages=CHAT):
    return run(model.log_probabilities(messages, answer))


def reference(folder):
    """The same model and its tokenizer, by the library alone."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return model.eval(), transformers.AutoTokenizer.from_pretrained(folder)


def test_a_greedy_answer_is_the_most_probable_next_token_each_time(causal_folder, causal_model):
    model, tokenizer = reference(causal_folder)
    ids = tokenizer(PROMPT, add_special_tokens=False)["input_ids"]
    prompt = len(ids)
    while len(ids) < prompt + 24 and ids[-1] not in (1, 3):
        with torch.no_grad():
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    answer = ask(causal_model)
    assert answer.text == tokenizer.decode(ids[prompt:], skip_special_tokens=True)
    assert answer.usage.prompt == prompt
    assert answer.usage.completion == len(ids) - prompt
    assert answer.finish_reason == ("stop" if ids[-1] in (1, 3) else "length")


def test_a_seed_decides_what_is_drawn_whoever_else_draws(sampling_model):
    torch.manual_seed(1)
    first = ask(sampling_model, seed=5)
    torch.manual_seed(2)
    assert ask(sampling_model, seed=5) == first
    assert len({ask(sampling_model, seed=seed).text for seed in range(5)}) > 1


def test_tokens_are_drawn_with_their_probabilities(llama_folder):
    model = CausalModel.load(str(llama_folder), device="cpu", temperature=2.0)
    plain, tokenizer = reference(llama_folder)
    ids = torch.tensor([tokenizer(PROMPT, add_special_tokens=False)["input_ids"]])
    with torch.no_grad():
        expected = (plain(ids).logits[0, -1] / 2.0).softmax(-1)
    likely = int(expected.argmax())
    draws = 120
    found = sum(
        ask(model, tokens=1, seed=seed).text == tokenizer.decode([likely]) for seed in range(draws)
    )
    p = float(expected[likely])
    assert abs(found / draws - p) < 4 * math.sqrt(p * (1 - p) / draws)


def test_log_probabilities_are_of_the_answer_and_of_its_end(causal_folder, causal_model):
    plain, tokenizer = reference(causal_folder)
    text = "Öffnen Sie die Datei."
    before = tokenizer(PROMPT, add_special_tokens=False)["input_ids"]
    labels = [*tokenizer(text, add_special_tokens=False)["input_ids"], 3]
    with torch.no_grad():
        logits = plain(torch.tensor([before + labels])).logits[0].double()
    expected = [
        float(logits[len(before) + i - 1].log_softmax(-1)[label]) for i, label in enumerate(labels)
    ]
    found = decoded(causal_model, text)
    assert [one.log_probability for one in found] == pytest.approx(expected, abs=1e-5)
    assert [one.token for one in found] == tokenizer.convert_ids_to_tokens(labels)
    assert found[-1].token == "<|im_end|>"


def test_an_empty_answer_has_the_log_probability_of_its_end(causal_model):
    (only,) = decoded(causal_model, "")
    assert only.token == "<|im_end|>"


def test_a_base_model_reads_messages_as_paragraphs(tmp_path):
    model = CausalModel.load(str(save_causal(tmp_path, chat_template=None)), device="cpu")
    assert model.prompt(CHAT) == ("You translate.\n\nTranslate “Open the file.” into German.\n\n")
    assert decoded(model, "Ja.")[-1].token == "</s>"


def test_an_answer_that_begins_within_a_token_has_no_log_probability(tmp_path):
    template = "{{ messages[-1].content }} "
    model = CausalModel.load(str(save_causal(tmp_path, chat_template=template)), device="cpu")
    assert decoded(model, "Öffnen")
    with pytest.raises(InputError, match="both the end of the messages and the beginning"):
        decoded(model, "die Datei")


def test_a_request_that_is_too_long_is_refused_before_it_is_read(llama_folder):
    model = CausalModel.load(str(llama_folder), device="cpu", max_context_tokens=120)
    prompt = ask(model, tokens=1).usage.prompt
    assert ask(model, tokens=120 - prompt).usage.prompt == prompt
    with pytest.raises(ContextTooLongError, match="120"):
        ask(model, tokens=121 - prompt)
    with pytest.raises(ContextTooLongError):
        decoded(model, "lang " * 120)


def test_the_configuration_says_how_much_a_model_reads(causal_model):
    assert causal_model.max_context_tokens == 2048


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "maxLength": 20},
        {
            "type": "object",
            "properties": {name: {"type": "string", "maxLength": 12} for name in ("s7", "s8", "ä")},
            "required": ["s7", "s8", "ä"],
            "additionalProperties": False,
        },
    ],
    ids=["string", "object"],
)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1))
def test_a_constrained_answer_meets_its_schema_at_any_seed(sampling_model, schema, seed):
    answer = ask(sampling_model, tokens=400, schema=schema, seed=seed)
    assert answer.finish_reason == "stop"
    value = json.loads(answer.text)
    if schema["type"] == "string":
        assert isinstance(value, str)
    else:
        assert list(value) == schema["required"]
        assert all(isinstance(text, str) and len(text) <= 12 for text in value.values())
    assert answer.text.encode().decode() == answer.text


def test_a_constrained_answer_that_is_cut_off_says_so(sampling_model):
    answer = ask(sampling_model, tokens=5, schema={"type": "string", "minLength": 50})
    assert answer.finish_reason == "length"
    assert answer.text.startswith('"')


def test_the_identity_changes_with_the_weights_and_holds_no_more_than_values(tmp_path):
    first = CausalModel.load(str(save_causal(tmp_path / "model")), device="cpu").identity
    assert json.loads(json.dumps(first)) == first
    shutil.rmtree(tmp_path / "model")
    again = CausalModel.load(str(save_causal(tmp_path / "model")), device="cpu").identity
    assert again == first
    shutil.rmtree(tmp_path / "model")
    other = save_causal(tmp_path / "model", num_hidden_layers=1)
    assert CausalModel.load(str(other), device="cpu").identity["digest"] != first["digest"]


def test_several_tasks_may_ask_at_a_time(causal_model):
    async def all_at_once():
        return await asyncio.gather(*(causal_model.answer(ChatRequest(CHAT, 4)) for _ in range(4)))

    assert len({answer.text for answer in run(all_at_once())}) == 1


def test_what_cannot_be_loaded_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be loaded"):
        CausalModel.load(str(tmp_path / "nothing"))
    encoder = transformers.BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2)
    encoder.architectures = ["BertModel"]
    encoder.save_pretrained(tmp_path / "bert")
    with pytest.raises(InputError, match="not a decoder-only model, but one of the family bert"):
        CausalModel.load(str(tmp_path / "bert"))
    folder = save_causal(tmp_path / "llama")
    with pytest.raises(InputError, match="not quantized when it is loaded"):
        CausalModel.load(str(folder), precision="int8")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InputError, match="cannot be loaded"):
        CausalModel.load(str(folder))


def test_code_and_pickles_of_a_model_are_not_run(tmp_path):
    folder = save_causal(tmp_path / "pickled")
    weights = transformers.AutoModelForCausalLM.from_pretrained(folder).state_dict()
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="cannot be loaded"):
        CausalModel.load(str(folder))
    own_code = save_causal(tmp_path / "code")
    config = json.loads((own_code / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig"}}
    (own_code / "config.json").write_text(json.dumps(config))
    (own_code / "own.py").write_text("raise SystemExit('this was run')")
    with pytest.raises(InputError, match="code that is in its own folder"):
        CausalModel.load(str(own_code))


def test_a_chat_template_that_refuses_is_named(tmp_path):
    template = "{{ raise_exception('no system messages') }}"
    model = CausalModel.load(str(save_causal(tmp_path, chat_template=template)), device="cpu")
    with pytest.raises(InputError, match="no system messages"):
        ask(model)
