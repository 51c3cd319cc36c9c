"""The text pipeline, which turns sentences into token ids and token ids into sentences.

Each side of a language pair is normalized, tokenized or segmented, cased and split into subwords,
in this order. Decoding inverts the steps in the opposite order. A pipeline is fitted on a training
corpus and saved with a run. Nothing else is needed to read and write text for the run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from docmt_files.base.documents import Document
from docmt_files.base.languages import is_english, primary_language
from docmt_files.storage.files import PathLike, write_text
from docmt_nmt.base.choices import Tokenization
from docmt_nmt.base.special_tokens import LanguageTokens, SpecialTokens
from docmt_nmt.text.casing import TrueCase
from docmt_nmt.text.fitting import Corpus, apply_steps, fit, fixed_steps, learned_case
from docmt_nmt.text.normalization import collapse_whitespace
from docmt_nmt.text.pipeline_files import SavedForm, digests, load_subwords, read_saved
from docmt_nmt.text.spellings import Span, carried_spans
from docmt_nmt.text.text_settings import TextSettings
from docmt_nmt.text.text_step import SIDES, EncodedDocument, SavedStep, Side, Step, Subwords
from docmt_nmt.text.vocabulary import Vocabulary


class _Form(NamedTuple):
    """The form of a side.

    Attributes:
        settings: by these settings.
        escape: whether the tokenized text has XML escapes.
    """

    settings: TextSettings
    escape: bool

    def state(self) -> dict[str, Any]:
        """The form in which it is saved."""
        return {"escape": self.escape, "settings": self.settings.model_dump(mode="json")}

    @classmethod
    def read(cls, saved: SavedForm, path: Path) -> _Form:
        """Return the form saved by `state`."""
        return cls(TextSettings.read(saved.settings, path=path), saved.escape)


class Pipeline:
    """Text to token ids and back, for both sides of a language pair.

    Encoding and decoding a sentence gives the sentence

    - as normalized, whatever its characters, with sentencepiece on raw text, also with `segment:
      jieba`; with composed characters with `normalize: nfkd`, straight quotation marks with
      `quotes: directional`, simplified Chinese with `chinese_script: simplified`, American English
      with `american_spelling`, the encoding repaired with `repair_encoding`;
    - with other white space and without control characters, with `tokenize: moses`;
    - with another case at sentence beginnings and in words in a case unknown to the corpus, with
      `case: truecase`; with a capital at the beginning, with `case: first-word`; in lowercase, with
      `case: lower`;
    - with `<unk>` for unknown characters or words, with `subword: bpe` or `words`; `unknown` counts
      them.

    Args:
        settings: the recipe's section `text`.
        languages: language codes of source and target.
        steps: the steps before the subwords, for each side.
        subwords: the subwords of each side, the same object if the vocabulary is joint.
        escape: whether tokenized text has XML escapes.
        special_tokens: the tokens around sentences; default: `<s>` and `</s>` on both sides.
        language_tokens: the tokens of all languages, of a pretrained model of many.
        source_form: of the source side, if it was made by other settings.
    """

    def __init__(
        self,
        settings: TextSettings,
        languages: tuple[str, str],
        steps: dict[Side, list[Step]],
        subwords: dict[Side, Subwords],
        *,
        escape: bool = False,
        special_tokens: SpecialTokens | None = None,
        language_tokens: LanguageTokens | None = None,
        source_form: _Form | None = None,
    ) -> None:
        self.settings, self.languages, self._special_tokens = settings, languages, special_tokens
        self.language_tokens = language_tokens
        self._steps, self._subwords = steps, subwords
        self._missing = lru_cache(maxsize=8192)(self._find_missing)
        form = _Form(settings, escape)
        self._forms: dict[Side, _Form] = {"source": source_form or form, "target": form}

    @classmethod
    def fit(
        cls,
        settings: TextSettings,
        source: Callable[[], Iterable[str]],
        target: Callable[[], Iterable[str]],
        *,
        languages: tuple[str, str],
        source_side: Pipeline | None = None,
    ) -> Pipeline:
        """Learn a pipeline; the same sentences give the same pipeline.

        Args:
            settings: the recipe's section `text`.
            source, target: give a new iterator over the sentences of their side, at each call.
            languages: language codes of source and target.
            source_side: a pipeline whose source side is used unchanged, language included; the
                target side alone is learned.

        Raises:
            InputError: a side has no text, or not enough for the vocabulary, or the settings do not
                fit the languages.
        """
        if source_side is not None:
            languages = source_side.languages[0], languages[1]
        corpora: dict[Side, Corpus] = {"source": source, "target": target}
        if source_side is not None:
            del corpora["source"]
        steps, subwords = fit(settings, corpora, {"source": languages[0], "target": languages[1]})
        if source_side is None:
            return cls(settings, languages, steps, subwords)
        theirs, own_vocabulary = source_side.special_tokens, subwords["target"].vocabulary
        return cls(
            settings,
            languages,
            {"source": source_side._steps["source"], **steps},
            {"source": source_side._subwords["source"], **subwords},
            special_tokens=SpecialTokens(
                theirs.source_begin, theirs.source_end, own_vocabulary.bos_id, own_vocabulary.eos_id
            ),
            source_form=source_side._forms["source"],
        )

    @classmethod
    def from_fairseq(
        cls,
        languages: tuple[str, str],
        dictionary: PathLike,
        codes: PathLike | None = None,
        truecase: PathLike | tuple[PathLike, PathLike] | None = None,
        tokenize: Tokenization = "none",
        extra: Sequence[str] = (),
    ) -> Pipeline:
        """The pipeline of a system trained with fairseq.

        Args:
            languages: language codes of source and target.
            dictionary: the joint dictionary, one subword and count per line.
            codes: the merge operations, of subword-nmt or fastBPE; None if the text consists of
                subwords between spaces.
            truecase: the Moses truecasing model, or one each for source and target.
            tokenize: `moses` if the system reads tokenized text. Text is escaped as by Moses
                (`&apos;`) if the dictionary shows escapes in the training text.
            extra: the special tokens after the dictionary, such as `[en]`, `[de]`, `<mask>`.

        Raises:
            InputError: a file is missing or has another form.
        """
        from docmt_nmt.text.fairseq_dictionaries import fairseq_subwords, has_xml_escapes

        subwords = fairseq_subwords(dictionary, codes, extra)
        settings = TextSettings.read(
            {
                "normalize": "none",
                "tokenize": tokenize,
                "case": "keep" if truecase is None else "truecase",
                "subword": "words" if codes is None else "bpe",
            }
        )
        escape = has_xml_escapes(subwords.vocabulary)
        steps = {
            side: fixed_steps(settings, language, escape=escape)
            for side, language in zip(SIDES, languages, strict=True)
        }
        if truecase is not None:
            models = truecase if isinstance(truecase, tuple) else (truecase, truecase)
            for side, model in zip(SIDES, models, strict=True):
                steps[side].append(TrueCase.load(model))
        return cls(settings, languages, steps, dict.fromkeys(SIDES, subwords), escape=escape)

    @property
    def source_vocabulary(self) -> Vocabulary:
        """The vocabulary of the source side."""
        return self.vocabulary("source")

    @property
    def target_vocabulary(self) -> Vocabulary:
        """The vocabulary of the target side; the same object if it is joint."""
        return self.vocabulary("target")

    def vocabulary(self, side: Side) -> Vocabulary:
        """The vocabulary of a side."""
        return self._subwords[side].vocabulary

    @property
    def special_tokens(self) -> SpecialTokens:
        """The tokens around sentences."""
        if self._special_tokens is not None:
            return self._special_tokens
        source, target = self.source_vocabulary, self.target_vocabulary
        return SpecialTokens((source.bos_id,), (source.eos_id,), target.bos_id, target.eos_id)

    def between(self, source: str, target: str) -> Pipeline:
        """The pipeline of a pretrained model of many languages for another pair.

        Args:
            source, target: tags in `language_tokens.sources` and `language_tokens.targets`.
        """
        assert self.language_tokens is not None, "the model is of one pair"
        steps = {
            side: fixed_steps(self.settings, language)
            for side, language in zip(SIDES, (source, target), strict=True)
        }
        return Pipeline(
            self.settings,
            (source, target),
            steps,
            self._subwords,
            special_tokens=self.language_tokens.between(source, target),
            language_tokens=self.language_tokens,
        )

    def encode(self, document: Document) -> EncodedDocument:
        """The token ids of a document's sentences, without special tokens."""
        return EncodedDocument(
            document.id,
            self._encode(document.source, "source"),
            None if document.target is None else self._encode(document.target, "target"),
        )

    def encode_sentence(self, text: str, side: Side = "source") -> list[int]:
        """The token ids of a sentence, without special tokens; an empty sentence has none."""
        return self._encode([text], side)[0]

    def decode_sentence(self, ids: Sequence[int], side: Side = "target") -> str:
        """The sentence with these token ids, on one line. Special tokens are left out, except for
        `<unk>`, which is written as `<unk>`."""
        subwords = self._subwords[side]
        silent = subwords.vocabulary.special_ids - {subwords.vocabulary.unk_id}
        text = subwords.decode([i for i in ids if i not in silent])
        for step in reversed(self._steps[side]):
            text = step.invert(text)
        return collapse_whitespace(text)

    def normalize(self, text: str, side: Side = "source") -> str:
        """The normalized sentence, as the first step gives it."""
        return self._steps[side][0].apply(text)

    def subwords(self, text: str, side: Side = "source") -> list[str]:
        """The subwords of a sentence, one for each token id, unknown subwords included."""
        (prepared,) = apply_steps(self._steps[side], [text])
        return self._subwords[side].split(prepared)

    def token_spans(self, text: str, side: Side = "source") -> list[Span]:
        """The characters of a sentence for each token id, as start and end offsets, whatever the
        changes by the steps before the subwords.

        Ranges are in order. Tokens of the same character, such as bytes, have the same range; a
        token without characters, such as a mark of a space, has an empty range.
        """
        (prepared,) = apply_steps(self._steps[side], [text])
        return carried_spans(self._subwords[side].spans(prepared), prepared, text)

    def surfaces(self, side: Side = "target") -> list[str]:
        """The text added to a sentence by each token of the vocabulary, by id; see
        `Subwords.surface`. Special tokens add a space."""
        subwords = self._subwords[side]
        special_ids = subwords.vocabulary.special_ids
        return [
            " " if i in special_ids else subwords.surface(token)
            for i, token in enumerate(subwords.vocabulary.tokens)
        ]

    def words(self, text: str, side: Side = "target") -> str:
        """The words of a sentence with spaces between them, before casing and subwords: normalized,
        and segmented or tokenized."""
        steps = [step for step in self._steps[side] if not step.changes_case]
        return next(iter(apply_steps(steps, [text])))

    def word_steps(self, side: Side = "target") -> str:
        """Steps of `words`, such as `nfc+moses-de`; empty if it does not split it
        into words, because the subwords are of raw text."""
        steps = [step for step in self._steps[side] if not step.changes_case]
        if not any(step.splits_words for step in steps):
            return ""
        language = primary_language(self.languages[SIDES.index(side)])
        names = {
            "Normalization": self._forms[side].settings.normalize,
            "MosesTokenization": f"moses-{language}",
        }
        classes = (type(step).__name__ for step in steps)
        step_names = [names.get(name, name) for name in classes]
        return "+".join(name for name in step_names if name != "none")

    def unknown(self, document: Document, side: Side = "source") -> Counter[str]:
        """The unknown characters (with `subword: bpe`) or words (with `words`) of a document,
        encoded as `<unk>`, with counts; sentencepiece has none."""
        sentences = document.source if side == "source" else document.target or ()
        unk_id = self._subwords[side].vocabulary.unk_id
        counts: Counter[str] = Counter()
        for text, ids in zip(sentences, self._encode(sentences, side), strict=True):
            if unk_id in ids:
                pairs = zip(self.subwords(text, side), ids, strict=True)
                counts.update(subword for subword, i in pairs if i == unk_id)
        if self._forms[side].settings.subword != "bpe":
            return counts
        from docmt_nmt.text.bpe import CONTINUED

        characters: Counter[str] = Counter()
        for subword, count in counts.items():
            characters[subword.removesuffix(CONTINUED)] += count
        return characters

    def missing(self, text: str) -> list[Span]:
        """The ranges of a source sentence, in order, without a spelling by whole characters in the
        vocabulary: encoded as `<unk>` or as bytes of a character. A system has hardly learned to
        read them."""
        return list(self._missing(text))

    def _find_missing(self, text: str) -> tuple[Span, ...]:
        """What `missing` returns: each repair asks again about the sentences of a document."""
        subwords, ids = self._subwords["source"], self.encode_sentence(text)
        vocabulary = subwords.vocabulary
        lacking = {
            i
            for i in set(ids)
            if i == vocabulary.unk_id or subwords.is_partial(vocabulary.tokens[i])
        }
        if not lacking:
            return ()
        spans = zip(ids, self.token_spans(text), strict=True)
        return tuple(dict.fromkeys(span for i, span in spans if i in lacking and span[0] < span[1]))

    def can_write(self, sentence: str, words: Sequence[str]) -> bool:
        """Return whether words come back from the tokens of the target vocabulary as they are,
        whatever their sentence."""
        del sentence
        ids = (self.encode_sentence(word, "target") for word in words)
        return all(word in self.decode_sentence(i) for word, i in zip(words, ids, strict=True))

    def _encode(self, texts: Sequence[str], side: Side) -> list[list[int]]:
        return self._subwords[side].encode(list(apply_steps(self._steps[side], texts)))

    def save(self, directory: PathLike) -> None:
        """Write the pipeline to a folder: the settings, and the learned parts as text or in the
        formats of the tools that read them."""
        folder = Path(directory)
        forms = self._forms
        state = {"languages": self.languages, **forms["target"].state()}
        if forms["source"] != forms["target"]:
            state["source"] = forms["source"].state()
        if self._special_tokens is not None:
            state["special_tokens"] = asdict(self._special_tokens)
        if self.language_tokens is not None:
            state["language_tokens"] = asdict(self.language_tokens)
        for side in SIDES:
            for step in self._steps[side]:
                if isinstance(step, SavedStep):
                    step.save(folder / f"{step.name}.{side}.txt")
        joint = self._subwords["source"] is self._subwords["target"]
        for side, name in _subword_names(joint).items():
            self._subwords[side].vocabulary.save(folder / f"{name}.vocabulary")
            self._subwords[side].save(folder / name)
        state["files"] = digests(folder)
        write_text(folder / "pipeline.json", json.dumps(state, indent=2) + "\n")

    @classmethod
    def load(cls, directory: PathLike) -> Pipeline:
        """Read a pipeline written by `save`.

        Raises:
            InputError: a file is missing or damaged, or files do not belong to the same run.
        """
        folder = Path(directory)
        saved = read_saved(folder)
        form = _Form.read(saved, folder / "pipeline.json")
        forms: dict[Side, _Form] = {"source": form, "target": form}
        if saved.source is not None:
            forms["source"] = _Form.read(saved.source, folder / "pipeline.json")
        steps: dict[Side, list[Step]] = {}
        for side, language in zip(SIDES, saved.languages, strict=True):
            settings, escape = forms[side]
            spelling = None
            if settings.american_spelling is not None and is_english(language):
                from docmt_nmt.text.english import AmericanSpelling

                path = folder / f"{AmericanSpelling.name}.{side}.txt"
                spelling = AmericanSpelling.load(path)
            steps[side] = fixed_steps(settings, language, spelling=spelling, escape=escape)
            if (case := learned_case(settings)) is not None:
                path = folder / f"{settings.case}.{side}.txt"
                steps[side].append(case.load(path))
        # Two pretrained models may split text differently into subwords of one vocabulary.
        joint = form.settings.joint and not (folder / "source.vocabulary").exists()
        loaded = {
            side: load_subwords(forms[side].settings, folder / name)
            for side, name in _subword_names(joint).items()
        }
        subwords = {side: loaded.get(side, loaded["source"]) for side in SIDES}
        return cls(
            form.settings,
            saved.languages,
            steps,
            subwords,
            escape=form.escape,
            special_tokens=saved.special_tokens,
            language_tokens=saved.language_tokens,
            source_form=forms["source"],
        )


def _subword_names(joint: bool) -> dict[Side, str]:
    """Return the beginning of the names of the subwords' files, for each side; only `source` if
    joint."""
    return {"source": "joint"} if joint else {side: side for side in SIDES}
