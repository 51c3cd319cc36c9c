"""Run directories, checkpoints and pretrained models that are damaged before they are read."""

from __future__ import annotations

import random
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import marian_models
import pretrained_models
from docmt.interop import import_fairseq, import_huggingface, import_marian
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_llm.answers.answer_store import AnswerStore
from docmt_llm.chat_model import ChatAnswer, TokenUsage
from docmt_nmt.decoding import BeamSearchTranslator
from fuzz.mutations import mutate_part, mutate_stored
from toy import toy_recipe, write_toy_corpus

MARIAN = {"firefox": marian_models.make_firefox, "opus": marian_models.make_opus}

SIZE = {"layers": 1, "d_model": 8, "heads": 2, "ffn_dim": 16}


def write_run(folder: Path) -> None:
    """A run that was trained for a few steps."""
    from docmt_nmt.training import train

    corpus = folder / "corpus"
    corpus.mkdir()
    write_toy_corpus(corpus, documents=6)
    training = {"max_steps": 4, "validate_every": 2, "batch_tokens": 64}
    recipe = toy_recipe(corpus, system=SIZE, training=training)
    train(recipe, folder / "run", progress=False)


def read_run(folder: Path, draw: random.Random) -> None:
    """Translate with a damaged run, or go on with its training."""
    run = folder / "run"
    resumed = draw.random() < 0.3
    files = [path for path in sorted(run.rglob("*")) if path.is_file() and path.suffix != ".lock"]
    later = ("checkpoints", "data")
    read = [path for path in files if resumed or path.relative_to(run).parts[0] not in later]
    mutate_stored(draw.choice(read), draw)
    source = ("one two", "three")
    if not resumed:
        translator = BeamSearchTranslator.load(run, beam_size=draw.choice([1, 2]), device="cpu")
        (translation,) = translator.translate([Document("d", source)])
        assert len(translation.document.target or ()) == len(source)
        return
    from docmt_nmt.runs.system_run import SystemRun
    from docmt_nmt.training import train

    train(SystemRun.load(run).recipe, run, progress=False)


# Answers of language models


def write_answers(folder: Path) -> None:
    """The answers of a model, as its run keeps them."""
    store = AnswerStore(folder / "answers.jsonl")
    for number in range(20):
        usage = TokenUsage(number, number // 2, 3)
        store.add(f"{number:064x}", ChatAnswer(f"„Ja“, {number}\n", "stop", usage))


def read_answers(folder: Path, draw: random.Random) -> None:
    """Look for answers in a damaged file, and keep one more."""
    path = folder / "answers.jsonl"
    mutate_stored(path, draw)
    store = AnswerStore(path)
    for number in range(20):
        answer = store.find(f"{number:064x}")
        assert answer is None or isinstance(answer.text, str)
    store.add(f"{99:064x}", ChatAnswer("Doch."))
    assert store.problem is not None or store.find(f"{99:064x}") == ChatAnswer("Doch.")
    again = AnswerStore(path)
    assert store.problem is not None or again.find(f"{99:064x}") == ChatAnswer("Doch.")


# Imports

GOLDEN = Path(__file__).parents[3] / "nmt" / "tests" / "golden" / "g_transformer"


def write_checkpoint(folder: Path) -> None:
    """A published checkpoint in small, and its dictionary."""
    shutil.copy(GOLDEN / "checkpoint.pt", folder / "checkpoint.pt")
    shutil.copy(GOLDEN / "dict.en.txt", folder / "dict.txt")


def import_checkpoint(folder: Path, draw: random.Random) -> None:
    """Import a damaged checkpoint or dictionary."""
    if draw.random() < 0.4:
        mutate_part(folder / "checkpoint.pt", draw)
    else:
        mutate_stored(folder / draw.choice(["checkpoint.pt", "dict.txt"]), draw)
    run = folder / "run"
    _whole_or_nothing(
        run,
        partial(
            import_fairseq,
            folder / "checkpoint.pt",
            folder / "dict.txt",
            run,
            languages=("en", "de"),
        ),
    )


FAMILIES = {
    "marian": ("en", "de"),
    "mbart-50": ("en_XX", "de_DE"),
    "m2m-100": ("en", "de"),
    "bert": ("en", None),
}


def write_models(folder: Path) -> None:
    """Tiny pretrained models of several families."""
    for family in FAMILIES:
        (folder / family).mkdir()
        if family == "bert":
            pretrained_models.make_bert(folder / family)
        else:
            pretrained_models.make(folder / family, family, steps=0)


def import_model(folder: Path, draw: random.Random) -> None:
    """Import a damaged model."""
    family = draw.choice(list(FAMILIES))
    mutate_stored(draw.choice(sorted((folder / family).iterdir())), draw)
    run = folder / "run"
    languages = FAMILIES[family]
    _whole_or_nothing(
        run, partial(import_huggingface, str(folder / family), run, languages=languages)
    )


def write_marian(folder: Path) -> None:
    """Tiny models of Marian, as Firefox and OPUS-MT have them."""
    for name, make in MARIAN.items():
        (folder / name).mkdir()
        make(folder / name)


def import_marian_model(folder: Path, draw: random.Random) -> None:
    """Import a damaged model of Marian."""
    name = draw.choice(list(MARIAN))
    mutate_stored(draw.choice(sorted((folder / name).iterdir())), draw)
    run = folder / "run"
    _whole_or_nothing(run, partial(import_marian, folder / name, run, languages=("en", "de")))


def _whole_or_nothing(run: Path, action: Any) -> None:
    """An import makes a run that loads, or leaves nothing."""
    try:
        action()
    except InputError:
        assert not run.exists(), "a refused import left a folder"
        raise
    BeamSearchTranslator.load(run, device="cpu")
