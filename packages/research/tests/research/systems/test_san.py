"""SAN against a re-implementation of the paper's equations with loops over words, heads and
sentences, and what its search gives to other sentences."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from cases import SPECIAL_TOKENS, VOCABULARY, batch, documents, encoded, make, transformer
from dense_transformer import (
    alone,
    decode_in_two_parts,
    encode_alone,
    heads_of,
    load_sentence_weights,
    of_documents,
)
from docmt_nmt.data.collate import pack_sentences
from docmt_nmt.decoding import search
from docmt_nmt.nn import BeamState, FullPass, in_precision
from docmt_nmt.nn.batch import TranslatedSentences
from research_cases import san

SHAPES = [4, 1, 3, 2], [2], [3, 5]

FORMS = {
    "sparse-soft": {},
    "sparse-sparse": {"word_weights": "sparsemax"},
    "sentence": {"context_attention": "sentence"},
    "word": {"context_attention": "word"},
}
"""The rows of the paper's tables."""

every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
every_context = pytest.mark.parametrize("context", ["online", "offline"])


def softmax(scores):
    return scores.softmax(0)


def sparsemax(scores):
    """The Euclidean projection on the simplex, by the growing support."""
    ordered = sorted(scores.tolist(), reverse=True)
    threshold = ordered[0] - 1
    for k in range(1, len(ordered) + 1):
        if 1 + k * ordered[k - 1] > sum(ordered[:k]):
            threshold = (sum(ordered[:k]) - 1) / k
    return torch.stack([(score - threshold).clamp(min=0) for score in scores])


def attention_by_hand(module, query, sentences, form):
    """What a word with this query, (d,), finds in sentences, given as (keys, values), each of the
    states of their words, (n, d)."""
    heads, level = module.heads, form.get("context_attention", "hierarchical")
    q_w = heads_of(module.query(query), heads)
    means = [(keys.mean(0), values.mean(0)) for keys, values in sentences]
    found = []
    for head in range(heads):
        scale = q_w.shape[1] ** -0.5

        def scores_of(projection, states, q, head=head, scale=scale):
            return heads_of(projection(states), heads)[:, head] @ q[head] * scale

        def values_of(states, head=head):
            return heads_of(module.value(states), heads)[:, head]

        if level == "sentence":
            keys, values = (torch.stack(side) for side in zip(*means, strict=True))
            found.append(softmax(scores_of(module.key, keys, q_w)) @ values_of(values))
        elif level == "word":
            keys, values = (torch.cat(side) for side in zip(*sentences, strict=True))
            found.append(softmax(scores_of(module.key, keys, q_w)) @ values_of(values))
        else:
            q_s = heads_of(module.sentence_query(query), heads)
            keys = torch.stack([key for key, _ in means])
            shares = sparsemax(scores_of(module.sentence_key, keys, q_s))
            within = sparsemax if form.get("word_weights") == "sparsemax" else softmax
            context = 0
            for share, (keys, values) in zip(shares, sentences, strict=True):
                weights = within(scores_of(module.key, keys, q_w))
                context = context + share * (weights @ values_of(values))
            found.append(context)
    return module.output(torch.cat(found))


def enriched_by_hand(layer, documents, context, form):
    """h̃ of every word; a document is a list of (h, query, keys, values), the states of the words of
    each sentence."""
    result = []
    for sentences in documents:
        for i, (states, queries, _, _) in enumerate(sentences):
            others = [
                (keys, values)
                for j, (_, _, keys, values) in enumerate(sentences)
                if (j < i if context == "online" else j != i)
            ]
            for h, query in zip(states, queries, strict=True):
                if not others:
                    result.append(h)
                    continue
                c = layer.attention_norm(attention_by_hand(layer.attention, query, others, form))
                inner = torch.relu(layer.feed_forward.inner(c))
                c = layer.feed_forward_norm(layer.feed_forward.outer(inner))
                w_s, w_c = layer.gate.weight.split(len(h), dim=1)
                gate = torch.sigmoid(w_s @ h + w_c @ c)
                result.append(gate * h + (1 - gate) * c)
    return torch.stack(result)


def plain_inside(system, norm="post"):
    """The sentence-level Transformer inside."""
    plain = make(transformer(norm=norm, count_positions="sentence"), seed=2)
    load_sentence_weights(plain, system)
    return plain


@every_form
@every_context
@torch.no_grad()
def test_the_encoder_computes_the_equations_of_the_paper(form, context):
    system = make(san(context=context, **form), width_scale=2)
    plain, source = plain_inside(system), batch(*documents(*SHAPES)).source
    states = [encode_alone(plain, alone(source, k)) for k in range(len(source.sentences))]
    of_documents_ = [
        [(h, h, h, h) for h in document] for document in of_documents(torch.cat(states), source)
    ]
    expected = enriched_by_hand(system.source_context, of_documents_, context, form)
    assert_close(system.encode(source).states, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("form", "context", "norm"),
    [
        *((form, context, "post") for form in FORMS.values() for context in ("online", "offline")),
        ({}, "online", "pre"),
    ],
)
@torch.no_grad()
def test_the_decoder_computes_the_equations_of_the_paper(form, context, norm):
    system = make(san(integration="decoder", context=context, norm=norm, **form))
    plain, packed = plain_inside(system, norm), batch(*documents(*SHAPES))
    parts = []
    for k in range(len(packed.source.sentences)):
        memory = encode_alone(plain, alone(packed.source, k))
        q, h = decode_in_two_parts(plain, alone(packed.target, k), memory)
        q = system.target_query_norm(q) if norm == "pre" else q
        parts.append((h, q, q, h))
    first = packed.target.first_sentences.tolist()
    written = [parts[a:b] for a, b in pairwise(first)]
    enriched = enriched_by_hand(system.target_context, written, context, form)
    expected = enriched @ system.output_weight.T
    assert_close(system(packed), expected, atol=2e-5, rtol=1e-4)


SEEN = {"online": [[], [0], [0, 1], [0, 1, 2]], "offline": [[1, 2, 3], [0, 2, 3], [0, 1, 3]]}
"""Which other sentences each of the first ones of a document sees."""


@every_context
@torch.no_grad()
def test_a_sentence_sees_those_before_it_online_and_all_others_offline(context):
    system = make(san(context=context, context_attention="word"))
    (document,) = documents([3, 4, 2, 5])
    before = system.encode(batch(document).source).states
    for changed in range(4):
        source = [list(s) for s in document.source]
        source[changed][0] = 4 + (source[changed][0] - 3) % (VOCABULARY - 4)
        packed = batch(replace(document, source=source)).source
        differs = (system.encode(packed).states != before).any(dim=1)
        by_sentence = differs.split(packed.sentences.host_lengths.tolist())
        for sentence, seen in enumerate(SEEN[context]):
            assert by_sentence[sentence].any() == (changed in [*seen, sentence])


@pytest.mark.parametrize("integration", ["encoder", "decoder"])
@torch.no_grad()
def test_a_sentence_without_others_is_translated_as_by_the_sentence_level_transformer(integration):
    (document,) = documents([4, 2])
    first = batch(replace(document, source=document.source[:1], target=document.target[:1]))
    for context, packed in (("offline", first), ("online", batch(document))):
        system = make(san(integration=integration, context=context))
        expected = plain_inside(system)(first)
        assert_close(system(packed)[: len(expected)], expected)


def test_the_gradient_reaches_other_sentences_only_if_asked():
    for wanted in (False, True):
        system = make(san(context_gradient=wanted))
        source = batch(*documents([3, 4])).source
        x = torch.randn(len(source.tokens), 16, requires_grad=True)
        out = system.source_context(x, x, x, FullPass(source))
        first, second = out.split(source.sentences.host_lengths.tolist())
        (gradient,) = torch.autograd.grad(second.square().sum(), x)
        assert gradient[len(first) :].any()
        assert bool(gradient[: len(first)].any()) == wanted


def drafts_of(system, packed, limit):
    """Greedy translations of single sentences by the sentence-level Transformer inside."""
    plain, found = plain_inside(system), []
    for k in range(len(packed.sentences)):
        memory = encode_alone(plain, alone(packed, k))
        written = [SPECIAL_TOKENS.target_begin]
        while written[-1] != SPECIAL_TOKENS.target_end:
            _, h = decode_in_two_parts(plain, torch.tensor(written), memory)
            scores = h[-1] @ system.output_weight.T
            scores[SPECIAL_TOKENS.target_begin] = -torch.inf
            ended = len(written) > limit
            written.append(SPECIAL_TOKENS.target_end if ended else int(scores.argmax()))
        found.append(written)
    return found


@pytest.mark.parametrize(("context", "beam_size"), [("online", 1), ("offline", 3)])
@torch.no_grad()
def test_search_gives_every_sentence_drafts_of_the_others(context, beam_size):
    system = make(san(integration="decoder", context=context))
    instances = documents([4, 3, 5], [2], [3, 4])
    source = batch(*instances).source
    count = len(source.sentences)
    options = {"beam_size": beam_size, "max_lengths": np.full(count, 6)}
    found = search(system, source, SPECIAL_TOKENS, **options)
    target = pack_sentences([[draft] for draft in drafts_of(system, source, 6)])
    memory = system.encode(source)
    states = system.read_translations(target, memory.sentences_alone(np.arange(count)))
    spans = target.sentences
    known = TranslatedSentences(
        states, spans.host_offsets[:-1], spans.host_lengths, target.host_tokens
    )
    # What was found has, step by step, the probability that these drafts give it.
    sentences = [s for hypotheses in found for s in hypotheses[0].sentences]
    sums = [p for hypotheses in found for p in hypotheses[0].log_probabilities]
    truncated = [flag for hypotheses in found for flag in hypotheses[0].truncated]
    for k, (sentence, total, forced) in enumerate(zip(sentences, sums, truncated, strict=True)):
        state = BeamState(
            replace(memory, translations=known), 1, SPECIAL_TOKENS, one_pass=False, sentences=[k]
        )
        expected, last = 0.0, SPECIAL_TOKENS.target_begin
        following = [*sentence, SPECIAL_TOKENS.target_end]
        for token in following[:-1] if forced else following:
            logs = system.step([last], state).log_softmax(dim=1)
            expected += float(logs[0, token])
            last = token
        assert total == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("integration", ["encoder", "decoder"])
@torch.no_grad()
def test_documents_written_together_are_those_written_alone(integration):
    system = make(san(integration=integration, context="offline"))
    instances = documents([4, 3, 5], [2], [3, 3, 4, 2, 6])
    packed = batch(*instances).source
    together = search(system, packed, SPECIAL_TOKENS, beam_size=3, max_lengths=np.full(9, 6))
    for instance, found in zip(instances, together, strict=True):
        source = batch(instance).source
        limits = np.full(len(source.sentences), 6)
        (own,) = search(system, source, SPECIAL_TOKENS, beam_size=3, max_lengths=limits)
        assert [h.sentences for h in own] == [h.sentences for h in found]


@every_context
@torch.no_grad()
def test_units_may_be_dropped_in_any_order(context):
    system = make(san(integration="decoder", context=context))
    packed = batch(*documents([4, 3, 5], [2], [3, 3, 4]))
    full = system(packed)
    state = BeamState(encoded(system, packed), 2, SPECIAL_TOKENS, one_pass=False)
    offsets = packed.target.sentences.host_offsets
    for step, kept in enumerate([None, [6, 1, 4], [2, 1], [0]]):
        if kept is not None:
            state.keep(kept)
        tokens = packed.target.tokens[offsets[state.units] + step]
        logits = system.step(tokens.repeat_interleave(2), state)
        assert_close(logits[::2], full[offsets[state.units] + step], atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("precision", ["bf16", "int8"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@torch.no_grad()
def test_it_translates_in_other_number_formats(form, precision):
    system = make(san(integration="decoder", context="offline", **form))
    packed = batch(*documents([4, 3], [2, 5])).source
    rounded = in_precision(system, precision)
    found = search(rounded, packed, SPECIAL_TOKENS, beam_size=2, max_lengths=np.full(4, 5))
    assert [len(hypotheses[0].sentences) for hypotheses in found] == [2, 2]
