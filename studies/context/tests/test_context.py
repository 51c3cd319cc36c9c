"""The study of dropped pronouns: its corpus, its criterion, and the way from a run to the page."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest


def episode(number, *sentences):
    from context_corpus import Episode

    return Episode(number, tuple("好" for _ in sentences), sentences)


HELD_OUT = "we never met on the roof of that house before"


def test_near_duplicates_of_held_out_text_are_removed(study):
    from context_corpus import ngrams, without_duplicates, words

    unlike = [f"word{i} other{i} more{i} and nothing of that here at all" for i in range(40)]
    copied = episode(1, *[HELD_OUT] * 3, "short one")
    partly = episode(2, *unlike, f"So, {HELD_OUT}.", "We never met.")
    kept, removed = without_duplicates([copied, partly], ngrams(words([HELD_OUT])))
    assert removed == {"episodes": 1, "sentences": 1}
    assert [(e.number, e.target) for e in kept] == [(2, (*unlike, "We never met."))]
    assert len(kept[0].source) == len(kept[0].target)


def test_series_are_divided_once(study):
    from context_corpus import read_series

    series = read_series()
    numbers = [n for one in series for n in range(one.first, one.last + 1)]
    assert numbers == list(range(2975))
    assert {one.split for one in series} == {"train", "valid", "test", "none"}


@pytest.mark.parametrize(
    ("text", "expected"), [("He left. OK?", True), ("he left.", False), ("HE LEFT.", False)]
)
def test_episodes_without_case_are_told(study, text, expected):
    from context_corpus import is_cased

    assert is_cased(text) == expected


def cases(right, shuffled=None):
    """Cases of ten episodes, decided right as given."""
    shuffled = right if shuffled is None else shuffled
    return [
        {
            "episode": str(i % 10),
            "pair": "he:she",
            "distance": 1 if i % 2 else None,
            "sentences_before": 5,
            "context": bool(right[i]),
            "shuffled context": bool(shuffled[i]),
            "no context": bool(shuffled[i]),
        }
        for i in range(len(right))
    ]


def decisions(share, seed, number=2000):
    return np.random.default_rng(seed).random(number) < share


def measures(share, shuffled=0.5, bleu=20.0, seed=1):
    return {
        "dropped": cases(decisions(share, seed), decisions(shuffled, seed + 50)),
        "overt": cases(np.ones(100)),
        "scores": {"s-BLEU": {"score": bleu}},
    }


@pytest.mark.parametrize(
    ("share", "shuffled", "bleu", "holds"),
    [
        (0.62, 0.5, 20.0, True),
        (0.62, 0.5, 19.8, True),
        (0.62, 0.5, 19.6, False),
        (0.62, 0.6, 20.0, False),  # shuffled context does as well
        (0.53, 0.5, 20.0, False),
    ],
)
def test_the_criterion_needs_all_that_the_protocol_says(study, share, shuffled, bleu, holds):
    from context_results import verdict

    seeing = [measures(share, shuffled, bleu, seed) for seed in (1, 2, 3)]
    twins = [measures(0.5, seed=seed + 10) for seed in (1, 2, 3)]
    found = verdict(seeing, twins)
    assert found.holds == holds
    assert found.over_twin.mean == pytest.approx(100 * (share - 0.5), abs=4)


def test_one_seed_below_five_points_is_enough_to_fail(study):
    from context_results import verdict

    seeing = [measures(share, seed=seed) for seed, share in ((1, 0.65), (2, 0.65), (3, 0.52))]
    assert not verdict(seeing, [measures(0.5, seed=seed + 10) for seed in (1, 2, 3)]).holds


def test_what_must_hold_is_told_from_what_does(study):
    from context_results import sanity

    fine = sanity([measures(0.6)], [measures(0.5, seed=11)])
    assert all(holds for _, holds in fine.values())
    hinted = sanity([measures(0.6)], [measures(0.6, seed=11)])
    assert not hinted["dropped *he* and *she*, the twin"][1]
    not_lost = sanity([measures(0.6, shuffled=0.6)], [measures(0.5, seed=11)])
    assert not not_lost["gain that shuffled context leaves"][1]


def test_the_interval_knows_of_seeds_and_episodes(study):
    from context_results import interval

    draw = np.random.default_rng(1)
    groups = np.repeat(np.arange(20), 10)
    noise = draw.normal(size=(3, 200))
    apart = noise + np.array([[-3.0], [0.0], [3.0]])
    by_group = noise + draw.normal(scale=3, size=20)[groups]

    def width(values):
        low, high = interval(values, groups)
        assert low < values.mean() < high
        return high - low

    assert width(apart) > 5 * width(noise)
    assert width(by_group) > 3 * width(noise)


WORDS = {"He": "他", "She": "她", "I": "我", "You": "你", "ran": "跑了", "sat": "坐了"}


def write_corpus(folder):
    """Episodes of Chinese in which most pronouns are dropped."""
    draw = random.Random(1)
    folder.mkdir()
    for split in ("train", "valid", "test", "valid-suite", "test-suite"):
        lines = {"zh": [], "en": []}
        for _ in range(4):
            for side in lines.values():
                side.append("<d>")
            for _ in range(12):
                who, verb = draw.choice(["He", "She", "I", "You"]), draw.choice(["ran", "sat"])
                said = "" if draw.random() < 0.6 else WORDS[who]
                lines["zh"].append(said + WORDS[verb])
                lines["en"].append(f"{who} {verb}.")
        for language, side in lines.items():
            path = folder / f"{split}.{language}"
            path.write_text("\n".join(side) + "\n", encoding="utf-8")


def write_checkout(folder):
    """The official test set: two episodes with three references."""
    data = folder / "data"
    for part in ("processed/test", "orignal/test"):
        (data / part).mkdir(parents=True)
    (data / "orignal/test/test.orignal.zh").write_text("他跑了\n坐了\n她坐了\n", encoding="utf-8")
    sgm = ['<refset setid="t" srclang="Chinese" trglang="English">']
    for number in (1, 2, 3):
        for name, lines in (("SUB01", ["he ran .", "she sat ."]), ("SUB02", ["it &apos;s her ."])):
            sgm.append(f'<DOC docid="{name}" sysid="reference_{number}">')
            sgm += [f"<p>\n<seg id={i}> {line}</seg>\n</p>" for i, line in enumerate(lines, 1)]
            sgm.append("</DOC>")
    (data / "processed/test/test_trg.sgm").write_text("\n".join([*sgm, "</refset>"]) + "\n")
    return folder


SMALL = (
    "text.subword=words",
    "text.vocabulary_size=40",
    "system.layers=1",
    "system.decoder_layers=1",
    "system.d_model=16",
    "system.heads=2",
    "system.ffn_dim=32",
    "training.batch_tokens=256",
    "training.max_steps=6",
    "training.validate_every=6",
    "training.warmup_steps=2",
    "search.beam_size=1",
)


def test_from_a_run_to_the_page(study, tmp_path, monkeypatch):
    import context_experiments as experiments
    from context_measures import make_suites, measure
    from context_page import page
    from context_store import cases_of, packed, unpacked
    from docmt_nmt import recipes
    from docmt_nmt.training import train

    write_corpus(tmp_path / "data")
    make_suites(tmp_path / "data", "test")
    load = recipes.load

    def small(name, keys):
        kept = [key for key in keys if not key.startswith("data.prepared")]
        if "system.name=g-transformer" in keys and "system.target_context=false" not in keys:
            kept += [f"system.{side}_context_layers=1" for side in ("encoder", "decoder", "cross")]
        return load(name, [*kept, *SMALL])

    monkeypatch.setattr(experiments.recipes, "load", small)
    train(experiments.start_recipe(tmp_path), tmp_path / "runs" / "start", progress=False)
    found = {}
    for one in experiments.pairs("plain")[:2]:
        recipe = experiments.recipe_of(one, tmp_path)
        run = train(recipe, tmp_path / "runs" / one.name, progress=False).directory
        checkout = write_checkout(tmp_path / one.name)
        found[one.name] = measure(run, tmp_path / "data", "test", source=checkout)
        assert found[one.name]["official"]["s-BLEU"]["sentences"] == 3
        assert measure(run, tmp_path / "data", "test") == found[one.name], "it is kept"
    copied = experiments.recipe_of(experiments.copied()[0], tmp_path).initialize
    assert (copied.new_attention, copied.gate_bias) == ("copy", 2)
    twin = found["parts-blind-1"]
    assert [c["context"] for c in twin["dropped"]] == [c["no context"] for c in twin["dropped"]]
    text = page({"parts": ([found["parts-1"]], [twin])}, ["parts-2"])
    assert "The criterion does not hold." in text
    assert "Not measured: `parts-2`." in text
    assert "| he/she | " in text
    stored = (tmp_path / "runs" / "parts-1.test.json").read_text("utf-8")
    assert "ran" not in stored
    kept = packed(twin)
    again = unpacked(kept, cases_of(twin))
    same = ({**each, "bits": [len(one) for one in each["bits"]]} for each in (again, twin))
    assert next(same) == next(same)
    assert [np.mean(one) for one in again["bits"]] == pytest.approx(
        [np.mean(one) for one in twin["bits"]]
    )
    assert len(json.dumps(kept)) < len(stored)
    assert "跑" not in stored, "the licence allows no text"


def test_the_page_is_that_of_the_stored_results(study):
    from context_experiments import pairs
    from context_page import grouped, page
    from context_store import unpacked

    results = study / "results"
    cases = json.loads((results / "cases.json").read_text("utf-8"))
    every, measured = pairs("plain"), {}
    for one in every:
        if (path := results / f"{one.name}.json").exists():
            measured[one.name] = unpacked(json.loads(path.read_text("utf-8")), cases)
    missing = [one.name for one in every if one.name not in measured]
    text = page(grouped(every, measured), missing)
    assert text == (results / "results.md").read_text("utf-8")
