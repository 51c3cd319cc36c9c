"""A chat model in this process that translates words by a rule, and misbehaves as a script says."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter, defaultdict
from contextlib import suppress

from docmt_files.base.errors import InputError
from docmt_llm.chat_model import ChatAnswer, ChatModel, ContextTooLongError, TokenUsage

_VOWELS = str.maketrans("aeiouAEIOU", "eiouaEIOUA")
_UNDER_ID = r'%s\s*(?::|,\s*"translation"\s*:)\s*("(?:[^"\\]|\\.)*")'
PLACEHOLDER = re.compile(r"⟦\d+⟧")


def translate(text):
    """The translation of a sentence: other vowels, and the same everything else."""
    return text.translate(_VOWELS)


def data_of(request):
    """What a request shows of a document: the JSON object at the beginning of the first message of
    the user."""
    content = next(message.content for message in request.messages if message.role == "user")
    return json.JSONDecoder().raw_decode(content)[0]


def sentences_of(request):
    """The sentences of a request by their ids; the id is None where there is one alone."""
    data = data_of(request)
    return data["sentences"] if "sentences" in data else {None: data["sentence"]}


class ScriptedModel(ChatModel):
    """A model that answers as `behavior` says: a function of the sentences of a request by their
    ids, and of the request, that gives a text or a `ChatAnswer`, or raises. By default it
    translates.

    Attributes:
        requests: those that it was asked.
        answered: for each sentence what was answered under its id.
    """

    def __init__(self, behavior=None, *, delay=0.0):
        self._behavior, self._delay = behavior or honest, delay
        self.requests = []
        self.answered = defaultdict(set)
        self.open = self.most_open = 0

    @property
    def identity(self):
        return {"model": "scripted"}

    async def answer(self, request):
        self.requests.append(request)
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        try:
            await asyncio.sleep(self._delay)
        finally:
            self.open -= 1
        sentences = sentences_of(request)
        answer = self._behavior(sentences, request)
        if isinstance(answer, str):
            answer = ChatAnswer(answer, usage=TokenUsage(prompt=10, completion=5))
        self._note(sentences, answer.text)
        return answer

    def _note(self, sentences, text):
        """Keep what an answer has for each sentence, read in no clever way."""
        for key, sentence in sentences.items():
            if key is None:
                self.answered[sentence].add(text)
                continue
            for match in re.finditer(_UNDER_ID % re.escape(json.dumps(key)), text, re.DOTALL):
                with suppress(ValueError):
                    self.answered[sentence].add(json.loads(match[1], strict=False))


def honest(sentences, request):
    """What a good model answers."""
    if None in sentences:
        return json.dumps(translate(sentences[None]), ensure_ascii=False)
    return as_object({key: translate(text) for key, text in sentences.items()})


def as_object(pairs):
    """Keys and texts as a JSON object; also pairs with equal keys."""
    pairs = pairs.items() if isinstance(pairs, dict) else pairs
    return "{" + ", ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in pairs) + "}"


class Misbehavior:
    """A behavior that is drawn anew for each request.

    Args:
        seed: of the draws.
        share: of the requests that are answered badly.
        kinds: names of bad behaviors to draw from. Default: some, which the seed says.
    """

    def __init__(self, seed, share=None, kinds=None):
        self._random = random.Random(seed)
        self.share = self._random.choice((0.1, 0.3, 0.6, 0.9, 1.0)) if share is None else share
        number = self._random.randint(1, len(KINDS))
        self.kinds = kinds or self._random.sample(sorted(KINDS), number)
        self.drawn = Counter()

    def __call__(self, sentences, request):
        if self._random.random() >= self.share:
            return honest(sentences, request)
        kind = self._random.choice(self.kinds)
        self.drawn[kind] += 1
        return KINDS[kind](dict(sentences), self._random)


def _texts(sentences):
    return list(sentences), [translate(text) for text in sentences.values()]


def _written(keys, texts):
    """An answer with these texts, one for each key."""
    if keys == [None]:
        return json.dumps(texts[0] if texts else "")
    return as_object(list(zip(keys, texts, strict=False)))


def merge(sentences, rng):
    """Two sentences joined under the id of the first, and all that follow shifted."""
    keys, texts = _texts(sentences)
    at = rng.randrange(len(texts))
    texts[at : at + 2] = [" ".join(texts[at : at + 2])]
    filler = rng.choice(["", "…", texts[-1], None])
    return _written(keys, texts if filler is None else [*texts, filler])


def drop(sentences, rng):
    """Without one of the sentences."""
    keys, texts = _texts(sentences)
    at = rng.randrange(len(texts))
    return _written(keys[:at] + keys[at + 1 :], texts[:at] + texts[at + 1 :]) if at else "{}"


def double(sentences, rng):
    """One id twice, with different texts."""
    keys, texts = _texts(sentences)
    if keys == [None]:
        return f"{json.dumps(texts[0])}\n{json.dumps(texts[0] + ' Or so.')}"
    at = rng.randrange(len(keys))
    pairs = list(zip(keys, texts, strict=True))
    return as_object([*pairs, (keys[at], rng.choice(texts) + " Or so.")])


def reorder(sentences, rng):
    """The texts of all sentences under the ids of others."""
    keys, texts = _texts(sentences)
    rng.shuffle(texts)
    return _written(keys, texts)


def rotate(sentences, rng):
    """Each text under the id of the sentence before."""
    keys, texts = _texts(sentences)
    return _written(keys, texts[1:] + texts[:1])


def move(sentences, rng):
    """The end of one text at the beginning of the next."""
    keys, texts = _texts(sentences)
    if len(texts) > 1:
        at = rng.randrange(len(texts) - 1)
        half = len(texts[at]) // 2
        texts[at : at + 2] = [texts[at][:half], texts[at][half:] + " " + texts[at + 1]]
    return _written(keys, texts)


def echo(sentences, rng):
    """The source."""
    return _written(list(sentences), list(sentences.values()))


def echo_all(sentences, rng):
    """The request, and then an answer."""
    return json.dumps({"sentences": sentences}) + "\n" + honest(sentences, None)


def refuse(sentences, rng):
    """A refusal, as an answer or in one."""
    text = rng.choice(
        ("I'm sorry, but I can't help with that.", "As an AI language model, I cannot do that.")
    )
    return rng.choice((text, _written(list(sentences), [text] * len(sentences))))


def truncate(sentences, rng):
    """A part of an answer, at the maximum number of tokens."""
    text = honest(sentences, None)
    return ChatAnswer(text[: rng.randrange(len(text))], "length")


def cut(sentences, rng):
    """A part of an answer, as if it were all."""
    text = honest(sentences, None)
    return text[: rng.randrange(len(text))]


def withhold(sentences, rng):
    """Nothing, or part of an answer, as the endpoint held it back."""
    text = honest(sentences, None)
    return ChatAnswer(text[: rng.choice((0, len(text)))], "filter")


def break_json(sentences, rng):
    """Characters of an answer lost, doubled or exchanged."""
    characters = list(honest(sentences, None))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(characters))
        characters[at] = rng.choice(("", '"', "{", "}", "\\", "\n", characters[at] * 2, ","))
    return "".join(characters)


def empty(sentences, rng):
    """Nothing, or empty texts."""
    return rng.choice(("", " \n", _written(list(sentences), [""] * len(sentences))))


def wrong_ids(sentences, rng):
    """Ids of the model's own."""
    _, texts = _texts(sentences)
    return as_object({f"{rng.choice('sx')}{i + rng.randrange(3)}": t for i, t in enumerate(texts)})


def as_list(sentences, rng):
    """A list in order, without ids or with them."""
    keys, texts = _texts(sentences)
    if rng.random() < 0.5:
        return json.dumps(texts)
    return json.dumps(
        [{"id": key, "translation": text} for key, text in zip(keys, texts, strict=True)]
    )


def more(sentences, rng):
    """More sentences than there are."""
    keys, texts = _texts(sentences)
    return _written(keys, texts)[:-1] + ', "s999": "More."}'


def fence(sentences, rng):
    """A good answer in a code fence, with thoughts or talk around it."""
    return rng.choice(
        ("```json\n{}\n```", "<think>Which {{? s1: {{}}\n</think>\n{}", "Sure!\n{}\nAll done.")
    ).format(honest(sentences, None))


def other_types(sentences, rng):
    """Values that are no texts."""
    values = (None, 3, ["a"], {"a": "b"}, True, 1e400)
    return json.dumps({str(key): rng.choice(values) for key in sentences})


def garbage(sentences, rng):
    """Characters of any kind."""
    pool = '{}[]":,\\ \n\x00\x1b\ud800⟦1⟧aé漢🙂\u202e0'
    return "".join(rng.choice(pool) for _ in range(rng.randrange(200)))


def surrogates(sentences, rng):
    """Texts with characters that are not text."""
    keys, texts = _texts(sentences)
    bad = rng.choice(("\ud83d", "\x00"))
    return _written(keys, [text + bad for text in texts])


def nest(sentences, rng):
    """JSON that is nested very deeply."""
    return rng.choice(("[", '{"a":', '{"s1":[')) * 20_000


def repeat(sentences, rng):
    """Texts that go on and on."""
    keys, texts = _texts(sentences)
    return _written(keys, [" ".join([text] * 40) for text in texts])


def lose_codes(sentences, rng):
    """Placeholders lost, doubled or made up."""
    keys, texts = _texts(sentences)
    by = rng.choice(("", "⟦1⟧⟦1⟧", "⟦77⟧", "[1]"))
    return _written(keys, [PLACEHOLDER.sub(by, text) for text in texts])


def too_long(sentences, rng):
    """The endpoint says that the request is too long."""
    raise ContextTooLongError


def talk(sentences, rng):
    """Text of several lines without any JSON."""
    return "Here is what I think.\n\n" + "\n".join(map(translate, sentences.values()))


KINDS = {
    function.__name__: function
    for function in (
        merge, drop, double, reorder, rotate, move, echo, echo_all, refuse, truncate, cut,
        withhold, break_json, empty, wrong_ids, as_list, more, fence, other_types, garbage,
        surrogates, nest, repeat, lose_codes, too_long, talk,
    )
}  # fmt: skip
"""Bad behaviors by name."""


class Unreliable(ScriptedModel):
    """A model whose endpoint is gone after some answers, until it is asked again."""

    def __init__(self, behavior, *, every):
        super().__init__(behavior)
        self._left, self._every = every, every

    async def answer(self, request):
        if self._left <= 0:
            self._left = self._every
            raise InputError("the endpoint does not answer", cure="Start it")
        # That a request is too long is no answer, and none is kept.
        answer = await super().answer(request)
        self._left -= 1
        return answer


class ListJournal:
    """A journal in memory."""

    def __init__(self, values=()):
        self.values, self._kept = [], list(values)

    def next(self):
        return self._kept.pop(0) if self._kept else None

    def add(self, value):
        self.values.append(json.loads(json.dumps(value)))

    def discard(self):
        self._kept.clear()
