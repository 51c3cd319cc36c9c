"""Terms as token sequences, with every kind of text pipeline."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from docmt_files.base.documents import Document, Sentence
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.decoding.glossary_terms import GlossaryTerms
from docmt_nmt.decoding.term_constraints import SentenceConstraints
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.text import Pipeline, TextSettings
from docmt_nmt.text.pretrained import PretrainedTokenizer, PretrainedVocabulary
from docmt_nmt.translators.glossary import Glossary, Term
from docmt_nmt.translators.term_uses import count_terms

SETTINGS = {
    "unigram": {"subword": "unigram", "vocabulary_size": 1200},
    "nfkd": {"subword": "unigram", "vocabulary_size": 1200, "normalize": "nfkd"},
    "bpe": {"subword": "bpe", "tokenize": "moses", "case": "truecase", "merges": 600},
    "words": {"subword": "words", "tokenize": "moses", "case": "lower", "vocabulary_size": 9000},
}


def sentences(side: str) -> list[str]:
    """Sentences of the bundled corpus."""
    documents = corpora.read(corpus_file(f"train.{side}.xz"))
    return list(islice((s for document in documents for s in document.source), 1500))


@pytest.fixture(scope="module", params=SETTINGS.values(), ids=SETTINGS)
def pipeline(request: pytest.FixtureRequest) -> Pipeline:
    sides = sentences("en"), sentences("de")
    return Pipeline.fit(
        TextSettings.read(request.param), lambda: sides[0], lambda: sides[1], languages=("en", "de")
    )


def of(pipeline: Pipeline, *terms: Term) -> GlossaryTerms:
    return GlossaryTerms(Glossary(terms), pipeline, SearchSettings())


def is_written(terms: GlossaryTerms, pipeline: Pipeline, form: str, sentence: str) -> bool:
    """Whether the token ids of a sentence have a form."""
    constraint = terms.constraint(form)
    progress = SentenceConstraints([constraint], terms.edges).initial
    for token in pipeline.encode_sentence(sentence, "target"):
        progress = progress.after(token)
    return progress.need == 0


@pytest.mark.by_default(2)
def test_a_term_is_not_glued_to_a_closing_mark(pipeline: Pipeline) -> None:
    terms = of(pipeline)
    for glued in ("Das.Haus", "Das,Haus", "Das;Haus"):
        text = pipeline.decode_sentence(pipeline.encode_sentence(glued, "target"))
        assert is_written(terms, pipeline, "Haus", glued) == (" " in text)
    assert is_written(terms, pipeline, "Haus", "Das. Haus")


def test_the_words_of_a_sentence_are_in_its_tokens_and_their_parts_are_not(
    pipeline: Pipeline,
) -> None:
    terms = of(pipeline)
    checked = 0
    for sentence in sentences("de")[100:160]:
        # The beginnings of sentences may have another case.
        inner = re.sub(r"(^|[.:?!…]\W*)\w+", "", sentence)
        words = [w.strip("„“‚‘.,;:?!()–…") for w in inner.split()]
        for word in (w for w in words if w.isalpha()):
            assert is_written(terms, pipeline, word, sentence), (word, sentence)
            part = word[:-1]
            if part and not Glossary([Term((part,), ())]).find(sentence):
                try:
                    assert not is_written(terms, pipeline, part, sentence), (part, sentence)
                except InputError:
                    continue  # a vocabulary of words does not have it
                checked += 1
    assert checked > 100 or pipeline.settings.subword == "words"


def test_a_form_comes_back_from_each_of_its_token_sequences(pipeline: Pipeline) -> None:
    terms = of(pipeline)
    before, after = (pipeline.encode_sentence(word, "target") for word in ("und", "und"))
    for form in ("Mönch", "der Mönch", "Mönche, Nonnen", "Mönch und Nonne"):
        for ids in terms.constraint(form).forms:
            written = pipeline.decode_sentence([*before, *ids, *after])
            found = Glossary([Term((form,), ())]).find(written)
            assert len(found) == 1 or written.casefold().startswith(f"und{form.casefold()}")


def test_terms_are_counted_in_the_text(pipeline: Pipeline) -> None:
    terms = of(
        pipeline,
        Term(("monk", "monks"), ("Mönch", "Mönche")),
        Term(("and",), ("und",), every=True),
        Term(("IT",), (), match_case=True),
    )
    source = ("A monk and a monk and it.", "Nothing.", "IT and monks")
    document = Document("d", source, ("Ein Mönch.", "Nichts.", "Mönche und it und Mönchskutte"))
    # One monk and two times `and`; then all three.
    sentences = tuple(map(Sentence, document.source))
    assert count_terms(terms.glossary, sentences, document.target) == (6, 4, 2)


TOKENIZERS = {
    "byte-level": (
        models.BPE(),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
        trainers.BpeTrainer,
    ),
    "word pieces": (
        models.WordPiece(unk_token="<unk>"),
        pre_tokenizers.BertPreTokenizer(),
        decoders.WordPiece(),
        trainers.WordPieceTrainer,
    ),
    "metaspace": (
        models.BPE(),
        pre_tokenizers.Metaspace(),
        decoders.Metaspace(),
        trainers.BpeTrainer,
    ),
}


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_the_spaces_of_pretrained_tokenizers_are_known(kind: str) -> None:
    model, before, decoder, trainer = TOKENIZERS[kind]
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer, tokenizer.decoder = before, decoder
    tokenizer.train_from_iterator(
        sentences("de")[:300], trainer(vocab_size=600, special_tokens=["<unk>"])
    )
    names = [tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size())]
    vocabulary = PretrainedVocabulary(names, [0], 0)
    subwords = PretrainedTokenizer(tokenizer.to_str().encode(), vocabulary)
    for sentence in sentences("de")[300:320]:
        words = " ".join(word for word in sentence.split() if word.isalpha())
        ids = [i for i in subwords.encode([words])[0] if i]
        surfaces = [subwords.surface(names[i]) for i in ids]
        text = subwords.decode(ids)
        # Byte-level tokens may be halves of letters.
        if "x" not in "".join(surfaces):
            assert "".join(surfaces).split() == text.split()
