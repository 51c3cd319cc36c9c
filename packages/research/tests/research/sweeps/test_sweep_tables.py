"""Tables of results beside a paper's figures, by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from docmt_files.base.errors import InputError
from docmt_research.sweeps.results import Result
from docmt_research.sweeps.sweep_settings import SweepSettings, bundled_sweeps, read_sweep
from docmt_research.sweeps.sweep_tables import ResultsTable

SWEEP = """
axes:
- corpus: {TED: {}}
  system: {sent: {recipe: demo-sentence}, doc: {recipe: demo-document}}
- corpus: {News: {}}
  system: {sent: {recipe: demo-sentence}, doc: {recipe: demo-document}}
seeds: [1, 2]
tables:
  two:
    title: A paper, Table 2
    rows: system
    parts: corpus
    columns: {s-BLEU: s-BLEU, d-BLEU: instance-BLEU}
    printed:
      others: [20, null, 21, null]
      doc: [null, 25.5, null, 26]
"""


@pytest.fixture
def sweep(tmp_path) -> SweepSettings:
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    return read_sweep(tmp_path / "sweep.yaml")


def result(seed: int, corpus: str, system: str, **measures: float) -> Result:
    values: dict[str, Any] = {"corpus": corpus, "system": system}
    scores = {name.replace("_", "-"): score for name, score in measures.items()}
    signatures = {name: f"seed {seed} · of {name}" for name in scores}
    return Result(f"{corpus}-{system}-{seed}", values, seed, scores, [], signatures)


RESULTS = [
    result(1, "TED", "sent", s_BLEU=10.0, instance_BLEU=10.0),
    result(2, "TED", "sent", s_BLEU=12.0, instance_BLEU=12.0),
    result(1, "TED", "doc", instance_BLEU=30.0),
    result(2, "TED", "doc", instance_BLEU=31.0),
    result(1, "News", "sent", s_BLEU=5.0, instance_BLEU=7.0),
]


def test_means_and_deviations_are_beside_the_figures_of_the_paper(sweep):
    table = ResultsTable.of(sweep.tables["two"], sweep, RESULTS)
    parts = {part: (heading, lines) for part, heading, lines in table.parts()}
    assert list(parts) == ["TED", "News"]
    heading, lines = parts["TED"]
    assert heading == ["", "s-BLEU", "paper", "d-BLEU", "paper"]
    assert lines == [
        ["others", "–", "20.00", "–", "–"],
        ["doc", "–", "–", "30.50 ± 0.71", "25.50"],
        ["sent", "11.00 ± 1.41", "–", "11.00 ± 1.41", "–"],
    ]
    assert parts["News"][1] == [
        ["others", "–", "21.00", "–", "–"],
        ["doc", "–", "–", "–", "26.00"],
        ["sent", "5.00", "–", "7.00", "–"],
    ]
    assert table.caption == "mean of 1 to 2 of 2 seeds ± one standard deviation"


def test_what_the_paper_does_not_print_of_a_row_is_not_shown(sweep):
    extra = [result(1, "TED", "doc", s_BLEU=99.0, instance_BLEU=30.0)]
    table = ResultsTable.of(sweep.tables["two"], sweep, extra)
    assert "99" not in table.markdown()
    assert table.caption == "one seed each of 2"


def test_a_table_is_written_as_markdown_json_csv_and_latex(sweep, tmp_path):
    ResultsTable.of(sweep.tables["two"], sweep, RESULTS).write(tmp_path / "tables" / "two")
    text = (tmp_path / "tables" / "two.md").read_text()
    assert "| doc | – | – | 30.50 ± 0.71 | 25.50 |" in text.splitlines()
    assert "## News" in text and text.startswith("# A paper, Table 2\n")
    cells = json.loads((tmp_path / "tables" / "two.json").read_text())["cells"]
    (cell,) = [c for c in cells if (c["part"], c["row"], c["column"]) == ("TED", "doc", "d-BLEU")]
    assert cell["found"]["mean"] == 30.5 and cell["printed"] == 25.5
    rows = (tmp_path / "tables" / "two.csv").read_text().splitlines()
    assert '"A paper, Table 2: TED",doc,–,–,30.50 ± 0.71,25.50' in rows
    latex = (tmp_path / "tables" / "two-2.tex").read_text()
    assert "doc & – & – & – & 26.00" in latex


def test_tables_carry_each_signature_of_their_scores_once(sweep, tmp_path):
    other = result(1, "News", "sent", TER=1.0)
    ResultsTable.of(sweep.tables["two"], sweep, [*RESULTS, other]).write(tmp_path / "two")
    signatures = [
        f"{name}: seed {seed} · of {name}"
        for seed in (1, 2)
        for name in ("s-BLEU", "instance-BLEU")
    ]
    for name in ("two.tex", "two-2.tex"):
        comments = [
            line.removeprefix("% ")
            for line in (tmp_path / name).read_text().splitlines()
            if line.startswith("%")
        ]
        assert comments[1:] == ["mean of 1 to 2 of 2 seeds ± one standard deviation", *signatures]
    text = (tmp_path / "two.md").read_text().splitlines()
    assert [line for line in text if line.startswith("`")] == [f"`{one}`" for one in signatures]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[20, null, 21, null]", "[20, null, 21]", "others has 3 figures, not 4"),
        ("rows: system", "rows: sytem", "tables.two: there is no axis 'sytem', did you mean"),
        ("    parts: corpus\n", "", "tables.two: corpus is neither rows nor parts"),
        ("columns: {s-BLEU: s-BLEU, d-BLEU: instance-BLEU}", "columns: {}", "tables.two.columns"),
        ("{TED: {}}", "{TED: }", "TED has no keys"),
    ],
)
def test_a_mistake_in_a_table_is_named(tmp_path, old, new, message):
    assert old in SWEEP
    (tmp_path / "sweep.yaml").write_text(SWEEP.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_sweep(tmp_path / "sweep.yaml")
    assert message in str(caught.value)


def test_table_2_of_bao_et_al_has_all_rows_of_the_paper():
    sweep = read_sweep(bundled_sweeps()["bao-2021-table-2"])
    printed = sweep.tables["table-2"].printed
    assert len(printed) == 14 and len(sweep.seeds) == 5
    assert sweep.values_of("corpus") == ["TED", "News", "Europarl"]
    assert set(printed) - set(sweep.values_of("system")) == {"SENTNMT (Vaswani et al. 2017)"}
    # The differences that section 5.1 of the paper gives.
    fine_tuned, sent = printed["G-Transformer, fine-tuned"], printed["Transformer on sent"]
    gains = [a - b for a, b in zip(fine_tuned[::2], sent[::2], strict=True) if a and b]
    assert gains == pytest.approx([0.30, 0.33, 1.02])
