"""Tables of scores as CSV and LaTeX."""

from __future__ import annotations

import csv
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from docmt.output.table_files import comma_separated, latex, write_tables
from docmt_files.base.errors import InputError

HOSTILE = r"[/b] 100% \input{x} & a_b #1 $x^2$ ~ {y} *[z] |<>| `` -- --- " + '"q", 5'


def table_of(name: str, *, title: str | None = None) -> Table:
    table = Table(title=None if title is None else Text(title))
    table.add_column("system ↓")
    table.add_column("score", justify="right")
    table.add_row(Text(name), "-1.50 to +2.00")
    table.add_row("other", "12,345")
    return table


def test_a_table_in_latex_has_the_rules_of_booktabs():
    assert latex(table_of("ours")).splitlines() == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"system $\downarrow$ & score \\",
        r"\midrule",
        r"ours & $-$1.50 to +2.00 \\",
        r"other & 12,345 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_hostile_name_is_only_text_in_latex():
    row = latex(table_of(HOSTILE)).splitlines()[4]
    assert row == (
        r"{[}/b{]} 100\% \textbackslash{}input\{x\} \& a\_b \#1 \$x\textasciicircum{}2\$ "
        r"\textasciitilde{} \{y\} {*}{[}z{]} \textbar{}\textless{}\textgreater{}\textbar{} "
        r"\textasciigrave{}\textasciigrave{} -{}- -{}-{}- \symbol{34}q\symbol{34}, 5"
        r" & $-$1.50 to +2.00 \\"
    )


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_name_or_title_changes_the_shape_of_a_table(name, title):
    lines = latex(table_of(name, title=title)).splitlines()
    row = lines[-4]
    assert lines[-9 if title.strip() else -8].startswith(("%", r"\begin"))
    assert len(lines) in (8, 9)
    plain = re.sub(r"\\(text\w+|symbol|downarrow|rightarrow)\b|\\[&%$#_{}]", "", row[:-3])
    assert plain.count("&") == 1 and "\\" not in plain
    assert plain.count("{") == plain.count("}")
    rows = list(csv.reader(comma_separated(table_of(name, title=title)).splitlines()))
    assert len(rows) == 3 and len({len(row) for row in rows}) == 1


def test_a_table_in_csv_has_names_as_they_are_numbers_without_commas_and_its_title():
    rows = list(csv.reader(comma_separated(table_of(HOSTILE, title="a, b")).splitlines()))
    assert rows == [
        ["table", "system ↓", "score"],
        ["a, b", HOSTILE, "-1.50 to +2.00"],
        ["a, b", "other", "12345"],
    ]


def test_further_tables_go_beside_the_first(tmp_path):
    paths = write_tables([table_of("a"), table_of("b")], tmp_path / "x.tex")
    assert [path.name for path in paths] == ["x.tex", "x-2.tex"]
    assert "b & " in paths[1].read_text()


def test_no_table_is_written_if_one_cannot_be(tmp_path):
    (tmp_path / "x-2.csv").mkdir()
    with pytest.raises(InputError):
        write_tables([table_of("a"), table_of("b")], tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()


def test_signatures_are_comments_of_a_latex_table_and_end_with_the_line(tmp_path) -> None:
    table = Table("system")
    table.add_row("ours")
    lines = ["s-BLEU 25.1 · tok 13a", "a name\nwith \\input{a line break}"]
    write_tables([table, table], tmp_path / "t.tex", lines)
    for name in ("t.tex", "t-2.tex"):
        text = (tmp_path / name).read_text()
        assert text.startswith(
            "% s-BLEU 25.1 · tok 13a\n% a name with \\input{a line break}\n\\begin"
        )
    write_tables([table], tmp_path / "t.csv", lines)
    assert (tmp_path / "t.csv").read_text() == "system\nours\n"
