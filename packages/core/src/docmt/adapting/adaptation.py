"""`adapt`: from a model and a person's own translations to a model that translates as the person
does, if it is better.

    material → cleaned → divided → translated by the start → trained → translated again → verdict

What is slow is kept in a `Workplace`, and the same call goes on where it was stopped.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from docmt.adapting import general_text
from docmt.adapting.belonging import LEAST, share_that_belongs
from docmt.adapting.cleaning import Cleaned, clean_all
from docmt.adapting.division import Division, divide
from docmt.adapting.file_pairs import PairReader
from docmt.adapting.general_text import GeneralText
from docmt.adapting.glossary import glossary_of
from docmt.adapting.material import MaterialReader
from docmt.adapting.training_time import Show, TrainingTime
from docmt.adapting.verdict import GeneralChange, Verdict, general_change, judge
from docmt.adapting.workplace import Workplace, fingerprint_of, read_parts, write_parts
from docmt.models.installed import ORIGIN, InstalledModel, InstalledModels
from docmt.translating.term_candidates import Candidate
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.files import write_text
from docmt_nmt.base.extras import has_torch, not_installed

if TYPE_CHECKING:
    from docmt.adapting.tuning import TuningSettings
    from docmt_nmt.runs.system_run import SystemRun
    from docmt_nmt.translators.translator import Translator

Report = Callable[[str], None]
"""Called with a line about what is found or done."""

MATERIAL = "material"
"""The folder in an adapted model with the pairs that it learned and that were held out, with which
`docmt adapt` goes on."""


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What is adapted to what.

    Attributes:
        models: the installed models.
        start: the model to start from.
        name: the name of the model to make.
        inputs: files with both languages, and folders.
        pairs: originals and translations, two files or two folders each.
        minutes: the most minutes of training.
        keep: whether to make the model although it is not better.
        settings: settings of the training; None for the defaults.
    """

    models: InstalledModels
    start: InstalledModel
    name: str
    inputs: Sequence[Path] = ()
    pairs: Sequence[tuple[Path, Path]] = ()
    minutes: float = 10.0
    keep: bool = False
    settings: TuningSettings | None = None

    @property
    def workplace(self) -> Workplace:
        """The folders of what is under way."""
        return Workplace(self.models.folder, self.name)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an adaptation.

    Attributes:
        verdict: before and after.
        model: the model that was made; None if it was not adopted.
        division: the parts of the material.
        terms: terms of the material, for a glossary.
    """

    verdict: Verdict
    model: InstalledModel | None
    division: Division
    terms: Sequence[Candidate] = field(default=())


def adapt(asked: Adaptation, report: Report, show: Show | None = None) -> Outcome:
    """Adapt a model.

    Args:
        asked: what is adapted to what.
        report: called with lines about the material and the steps.
        show: called with the seconds of training so far, and the most.

    Raises:
        InputError: PyTorch is not installed, the material cannot be read or is too little, the
            model cannot be trained, or the disk is full.
    """
    if not has_torch():
        raise not_installed("torch")
    from docmt.adapting.tuning import TuningSettings

    settings = asked.settings or TuningSettings()
    files = [*asked.inputs, *(path for pair in asked.pairs for path in pair)]
    for path in files:
        if not path.exists():
            raise InputError("is missing", path=path, cure="Check the path")
    told = json.dumps(asdict(settings), sort_keys=True)
    place = asked.workplace
    with place.reserved(fingerprint_of(asked.start.directory, files, told)) as goes_on:
        if goes_on:
            report(f"going on with the adaptation of {asked.name} that was stopped")
        try:
            return _adapt(asked, settings, place, report, show)
        except InputError:
            if not place.is_divided:
                place.clear()
            raise


def _adapt(
    asked: Adaptation, settings: TuningSettings, place: Workplace, report: Report, show: Show | None
) -> Outcome:
    languages = asked.start.languages
    text = general_text.find(languages[0], asked.models, partial(_translated_once, place))
    start = _Texts(place, text, "before", asked.start.directory)
    division = place.division(lambda: _material(asked, start, report))
    learned, held_out = sum(map(len, division.train)), sum(map(len, division.held_out))
    report(
        f"{learned:,} pairs to learn, {sum(map(len, division.valid)):,} to see when it is enough, "
        f"{held_out:,} of {counted(len(division.held_out), 'document')} held out for the verdict"
    )
    if division.shared:
        shared = counted(division.shared, "pair")
        report(f"{shared} not learned, because the held-out documents have them")
    if text.made_by:
        report(f"general text is docmt's in English, translated by {text.made_by}")
    elif not text.sentences:
        wanted = general_text.model_for(languages[0])
        report(f"general text is not measured: docmt's is English, and {wanted} is not installed")
    before = start.held_out(division.held_out)
    if not (place.candidate / ORIGIN).exists():
        tuned = _trained(asked, settings, place, division, start, report, show)
        _make_candidate(asked, settings, place, tuned, start, report)
    after = _Texts(place, text, f"after-{place.state()['share']:g}", place.candidate)
    terms = glossary_of(division.train, languages)
    verdict = judge(
        division.held_out,
        before,
        after.held_out(division.held_out),
        start.change(after, languages),
        {each.source: each.translations[0][0] for each in terms},
    )
    model = None
    if verdict.is_better or asked.keep:
        model = _install(asked, place, division, verdict)
    place.clear()
    return Outcome(verdict, model, division, terms)


class _Texts:
    """Translations by one of the models, kept in the workplace.

    Args:
        text: the general sentences.
        name: names the translations.
        run: the run directory.
    """

    def __init__(self, place: Workplace, text: GeneralText, name: str, run: Path) -> None:
        self._place, self.text, self._name, self._run = place, text, name, run
        self._translator: Translator | None = None

    def translate(self, sentences: Sequence[str]) -> Sequence[str]:
        """The translations of the sentences of one document."""
        return self._translated([Document("1", tuple(sentences))])[0].target or ()

    def held_out(self, documents: Sequence[Document]) -> list[Document]:
        """The held-out documents, translated."""
        sources = [Document(each.id, each.source) for each in documents]
        return self._place.translations(self._name, lambda: self._translated(sources))

    def general(self) -> Document:
        """The general sentences on which changes are measured, translated; maybe none."""
        sentences = tuple(self.text.measured)
        if not sentences:
            return Document("general", (), ())
        documents = [Document("general", sentences)]
        name = f"general-{self._name}"
        return self._place.translations(name, lambda: self._translated(documents))[0]

    def change(self, after: _Texts, languages: tuple[str, str]) -> GeneralChange:
        """What becomes of the general sentences by another model."""
        is_translated = bool(self.text.made_by)
        sides = self.general(), after.general()
        return general_change(*sides, languages, is_translated=is_translated)

    def _translated(self, documents: Sequence[Document]) -> list[Document]:
        from docmt_nmt.runs.open_run import load

        if self._translator is None:
            self._translator = load(self._run)
        return [each.document for each in self._translator.translate(documents)]


def _translated_once(
    place: Workplace, model: InstalledModel, sentences: Sequence[str]
) -> Sequence[str]:
    """The translations of sentences by a model, kept in the workplace."""
    texts = _Texts(place, GeneralText(sentences), model.name, model.directory)
    (document,) = texts.held_out([Document("general", tuple(sentences))])
    return document.target or ()


def _material(asked: Adaptation, start: _Texts, report: Report) -> Division:
    """The parts of the material, with counts of what is left out."""
    languages = asked.start.languages
    reader = MaterialReader(languages, PairReader(languages, start.translate), report)
    materials = list(reader.read(asked.inputs, asked.pairs))
    found = sum(map(len, materials))
    report(f"read: {found:,} pairs in {counted(len(materials), 'file')}")
    cleaned = clean_all(
        materials, languages, lambda d: share_that_belongs(d, start.translate), LEAST
    )
    _report_left_out(cleaned, report)
    known = asked.start.directory / MATERIAL
    if asked.start.start and known.is_dir():
        earlier = read_parts(known)
        return divide(cleaned.documents, earlier.held_out, [*earlier.train, *earlier.valid])
    return divide(cleaned.documents)


def _report_left_out(cleaned: Cleaned, report: Report) -> None:
    for note in cleaned.notes:
        report(note)
    left_out: Counter[str] = cleaned.left_out
    if total := left_out.total():
        report(f"left out: {counted(total, 'pair')}")
        for reason, number in left_out.most_common():
            report(f"  {number:,} {reason}")


def _trained(
    asked: Adaptation,
    settings: TuningSettings,
    place: Workplace,
    division: Division,
    start: _Texts,
    report: Report,
    show: Show | None,
) -> SystemRun:
    """The tuned run."""
    from docmt.adapting.tuning import TuningData, tune, write_data
    from docmt_nmt.runs.system_run import SystemRun

    folder = place.folder / "training"
    if not folder.exists():
        own = _own_translations(start) if settings.own_share else []
        write_data(TuningData(division.train, division.valid, own), folder)
    words = sum(len(s.split()) for each in division.train for s in each.target or ())
    unit = "minute" if asked.minutes == 1 else "minutes"
    limit = f"training, at most {asked.minutes:g} {unit}"
    report(f"{limit}; Ctrl-C stops it, and the same command goes on")
    used = float(place.state().get("seconds", 0.0))
    clock = TrainingTime(asked.minutes * 60, used, lambda seconds: place.put(seconds=seconds), show)
    run = SystemRun.load(asked.start.directory)
    return tune(run, folder, settings, words, clock.is_last, asked.minutes * 60)


def _make_candidate(
    asked: Adaptation,
    settings: TuningSettings,
    place: Workplace,
    tuned: SystemRun,
    start: _Texts,
    report: Report,
) -> None:
    """Make the run of the adapted model, with as much of the tuned weights as general text
    bears."""
    from docmt.adapting.adapted_run import write_adapted_run
    from docmt_nmt.runs.system_run import SystemRun

    run = SystemRun.load(asked.start.directory)
    base = asked.models.get(asked.start.start) if asked.start.start else asked.start
    bases = [SystemRun.load(base.directory)] if base is not None else []
    shares = settings.tuned_shares if start.text.measured else (settings.unmeasured_share,)
    for share in shares:
        write_adapted_run(place.candidate, run, tuned, share, bases)
        after = _Texts(place, start.text, f"after-{share:g}", place.candidate)
        if start.change(after, asked.start.languages).is_small:
            break
    why = "as much as general text bears" if start.text.measured else "to be careful"
    report(f"{share:.0%} of what was learned is taken, {why}")
    place.put(share=share)
    write_text(place.candidate / ORIGIN, json.dumps(_origin(asked)) + "\n")


def _own_translations(start: _Texts) -> list[Document]:
    """General sentences with the start's translations, a document each."""
    sentences = start.text.mixed
    if not sentences:
        return []
    pairs = zip(sentences, start.translate(sentences), strict=True)
    return [
        Document(f"general {number}", (source,), (target,))
        for number, (source, target) in enumerate(pairs, start=1)
        if target
    ]


def _origin(asked: Adaptation) -> dict[str, str]:
    """What a list of models says of the adapted one."""
    start = asked.start
    return {
        "pair": start.pair,
        "architecture": start.architecture,
        "registry": start.place,
        "license": start.license,
        # Of a model that is adapted again: the first start, which the weights differ from.
        "start": start.start or start.name,
    }


def _install(
    asked: Adaptation, place: Workplace, division: Division, verdict: Verdict
) -> InstalledModel:
    """Put the adapted model in its place, with its material and verdict."""
    learned = sum(map(len, (*division.train, *division.valid)))
    names = dict.fromkeys(path.name for path in (*asked.inputs, *(p for p, _ in asked.pairs)))
    material = f"{learned:,} pairs of {', '.join(names)}"
    if asked.start.material:
        material = f"{learned:,} pairs, after {asked.start.material} also of {', '.join(names)}"
    origin = {**_origin(asked), "material": material, "verdict": verdict.summary}
    write_text(place.candidate / ORIGIN, json.dumps(origin, indent=2, ensure_ascii=False) + "\n")
    record = {**verdict.to_dict(), "tuned_share": place.state()["share"]}
    text = json.dumps(record, indent=2, ensure_ascii=False)
    write_text(place.candidate / "verdict.json", text + "\n")
    write_parts(division, place.candidate / MATERIAL)
    directory = asked.models.folder / asked.name
    old = directory.with_name(f".{asked.name}.removed")
    if directory.exists():
        directory.rename(old)
    place.candidate.rename(directory)
    shutil.rmtree(old, ignore_errors=True)
    return asked.models.named(asked.name)
