"""`check_system`: the contracts that training and search rely on, of any system, for the tests of a
package that brings one. docmt's own tests hold its systems to the same.

    from docmt_research.check_system import check_system

    def test_the_system_keeps_the_contracts_of_docmt():
        check_system(AlternatingSettings(preset="tiny", layers=2, d_model=16, heads=4, ffn_dim=32))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate, pack_translations
from docmt_nmt.decoding import search
from docmt_nmt.nn.batch import Batch
from docmt_nmt.nn.quantization import prepack_weights
from docmt_nmt.systems import System, SystemSettings, build

_SPECIAL_TOKENS = SpecialTokens((0,), (2,), 0, 2)
_VOCABULARY = 23
_SHAPES = ([4, 1, 3], [2], [3, 3, 1, 2])
"""The tokens of each sentence of three documents; the second has a single sentence."""


def check_system(settings: SystemSettings, instances: Sequence[Instance] | None = None) -> None:
    """Check a system with small random weights on a few documents.

    Args:
        settings: of a small system without dropout.
        instances: documents with tokens from 4 to 22, for a system that reads more than sentences
            and those before them. Default: random ones, of which the first has no context.

    Raises:
        AssertionError: the system breaks a contract, which the message names.
    """
    documents = list(instances) if instances is not None else _documents()
    for check in _CHECKS:
        try:
            check(settings, documents)
        except Exception as error:
            name = check.__name__.removeprefix("_").replace("_", " ")
            raise AssertionError(f"{settings.name}: {name}: {error}") from error


def _a_document_does_not_depend_on_the_batch(
    settings: SystemSettings, documents: Sequence[Instance]
) -> None:
    system = _made(settings)
    with torch.no_grad():
        alone = torch.cat([system(_batch([document])) for document in documents])
        _assert_close(system(_batch(documents)), alone)


def _no_token_sees_the_target_after_it(
    settings: SystemSettings, documents: Sequence[Instance]
) -> None:
    system = _made(settings)
    document = documents[-1]
    assert document.target is not None
    (*others, last) = document.target
    other = [*last[:-1], 4 + (last[-1] - 3) % (_VOCABULARY - 4)]
    with torch.no_grad():
        before = system(_batch([document]))
        after = system(_batch([replace(document, target=[*others, other])]))
    changed = (before != after).any(dim=1).nonzero().flatten().tolist()
    # The changed token is read where the end mark is written.
    assert changed[:1] == [len(before) - 1] or changed[:1] == [len(before) - 2], changed


def _every_weight_learns(settings: SystemSettings, documents: Sequence[Instance]) -> None:
    system = _made(settings)
    packed = _batch(documents)
    _learn(system, packed)
    silent = [
        name
        for name, weight in system.named_parameters()
        # A key's bias adds the same to all scores of a query, and so changes nothing.
        if weight.requires_grad and not name.endswith("key.bias")
        if weight.grad is None or not weight.grad.any()
    ]
    assert not silent, silent


def _a_batch_without_context_can_be_learned_from(
    settings: SystemSettings, documents: Sequence[Instance]
) -> None:
    system = _made(settings)
    _learn(system, _batch([_without_context(documents[0])]))


def _search_finds_the_probability_of_the_full_pass(
    settings: SystemSettings, documents: Sequence[Instance]
) -> None:
    for chosen in (documents, [_without_context(documents[0])]):
        # As search prepares it: projections joined, weights packed.
        prepared = prepack_weights(_made(settings))
        source = _batch(chosen).source
        longest = torch.full((len(source.sentences),), 6)
        with torch.no_grad():
            found = search(prepared, source, _SPECIAL_TOKENS, beam_size=3, max_lengths=longest)
            best = [one[0] for one in found]
            written = [
                replace(one, target=own.sentences) for one, own in zip(chosen, best, strict=True)
            ]
            packed = _batch(written)
            logs = _made(settings)(packed).log_softmax(dim=1)
        if prepared.draft_system is not None:
            continue  # Its drafts, and so the probabilities, are those of another system.
        gains = logs.gather(1, packed.labels.clamp(min=0)[:, None]).squeeze(1)
        ended = torch.tensor([flag for own in best for flag in own.truncated])
        forced = (packed.labels == _SPECIAL_TOKENS.target_end) & ended[
            packed.target.sentences.index
        ]
        # A sentence ends at its greatest length at no cost, and its begin mark is no choice.
        counted = gains * ((packed.labels >= 0) & ~forced)
        sums = torch.zeros(len(ended)).index_add(0, packed.target.sentences.index, counted)
        found_sums = torch.tensor([value for own in best for value in own.log_probabilities])
        _assert_close(found_sums, sums, 1e-3)


def _search_prepares_a_system_that_computes_the_same(
    settings: SystemSettings, documents: Sequence[Instance]
) -> None:
    expected, prepared = _made(settings), prepack_weights(_made(settings))
    with torch.no_grad():
        for chosen in (documents, [_without_context(documents[0])]):
            packed = _batch(chosen)
            _assert_close(prepared(packed), expected(packed))


def _the_same_seed_gives_the_same_weights(
    settings: SystemSettings, documents: Sequence[Instance]
) -> None:
    del documents
    first, second, other = (
        torch.cat([weight.flatten() for weight in _built(settings, seed).parameters()])
        for seed in (1, 1, 2)
    )
    assert torch.equal(first, second), "two systems of one seed differ"
    assert not torch.equal(first, other), "another seed gives the same weights"


_CHECKS: tuple[Callable[[SystemSettings, Sequence[Instance]], None], ...] = (
    _a_batch_without_context_can_be_learned_from,
    _a_document_does_not_depend_on_the_batch,
    _no_token_sees_the_target_after_it,
    _every_weight_learns,
    _search_prepares_a_system_that_computes_the_same,
    _search_finds_the_probability_of_the_full_pass,
    _the_same_seed_gives_the_same_weights,
)
"""The contracts, named for what they hold."""


def _learn(system: System, batch: Batch) -> None:
    """Compute the gradients of all weights."""
    loss: Tensor = torch.nn.functional.cross_entropy(system(batch), batch.labels)
    loss.backward()  # type: ignore[no-untyped-call]


def _assert_close(found: Tensor, expected: Tensor, tolerance: float = 2e-5) -> None:
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=1e-4)


def _built(settings: SystemSettings, seed: int = 1) -> System:
    return build(settings, _VOCABULARY, _VOCABULARY, seed=seed)


def _made(settings: SystemSettings) -> System:
    """A system whose weights are large enough that every part shows in its logits."""
    system = _built(settings).eval()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in system.parameters():
            weight.add_(0.1 * torch.randn(weight.shape, generator=generator))
    return system


def _documents() -> list[Instance]:
    """Random documents; beside the first stands no sentence, beside the next one, and so on."""
    generator = torch.Generator().manual_seed(0)

    def words(n: int) -> list[int]:
        return torch.randint(4, _VOCABULARY, (n,), generator=generator).tolist()

    return [
        Instance(
            f"d{i}",
            i,
            [words(n) for n in shape],
            [words(n + n % 3) for n in shape],
            [words(3 + k) for k in range(i)],
        )
        for i, shape in enumerate(_SHAPES)
    ]


def _without_context(document: Instance) -> Instance:
    """The first sentence alone, as a document of one sentence."""
    assert document.target is not None
    return replace(document, source=document.source[:1], target=document.target[:1], context=[])


def _batch(documents: Sequence[Instance]) -> Batch:
    """A batch; the draft of each sentence is its source from behind."""
    drafts = [[sentence[::-1]] for document in documents for sentence in document.source]
    packed = collate(documents, _SPECIAL_TOKENS)
    draft = pack_translations(drafts, _SPECIAL_TOKENS)
    return replace(packed, source=replace(packed.source, draft=draft))
