"""Contrastive suites in the published formats and in our own."""

from __future__ import annotations

import json
import lzma
import os

import pytest

from docmt_files.base.errors import InputError
from docmt_research.analysis.contrastive_suites import detokenized, read_suite


def test_json_lines(tmp_path):
    file = tmp_path / "own.jsonl"
    values = {"source": ["a", "b"], "context": ["A"], "candidates": ["B", "C"]}
    more = {"id": "x", "right": 1, "phenomenon": "gender", "distance": 1}
    file.write_text(json.dumps(values) + "\n\n" + json.dumps(values | more) + "\n")
    first, second = read_suite(file).cases
    assert (first.id, first.right, first.phenomenon, first.distance) == ("1", 0, "", None)
    assert (first.source, first.context, first.candidates) == (("a", "b"), ("A",), ("B", "C"))
    assert (second.id, second.right, second.phenomenon, second.distance) == ("x", 1, "gender", 1)


def test_the_consistency_sets_of_voita(tmp_path):
    cases = [
        {
            "src": "a . _eos b . _eos c",
            "dst": ["A . _eos B . _eos C", "A . _eos B . _eos D"],
            "true_ind": 1,
            "ctx_dist": 2,
        },
        {"src": "a _eos c", "dst": ["A _eos C", "A _eos D", "A _eos C"], "true_ind": 0},
        {"src": "a _eos c", "dst": ["A _eos C", "A _eos C"], "true_ind": 0},
    ]
    file = tmp_path / "lex_cohesion_dev.json.xz"
    file.write_bytes(lzma.compress(json.dumps(cases).encode()))
    suite = read_suite(file)
    first, second = suite.cases
    assert first.source == ("a .", "b .", "c")
    assert first.context == ("A .", "B .")
    assert (first.candidates, first.right) == (("C", "D"), 1)
    assert (first.phenomenon, first.distance) == ("lex_cohesion", 2)
    # The right one is there twice.
    assert second.candidates == ("C", "D")
    # All candidates of the third are the same.
    assert (suite.repeated, suite.left_out) == (1, 1)
    assert read_suite(file, context=1).cases[0].source == ("b .", "c")
    assert read_suite(file, context=0).cases[0].context == ()


def test_contrapro_with_its_documents(tmp_path):
    folder = tmp_path / "documents" / "1990"
    folder.mkdir(parents=True)
    (folder / "x.en").write_text("one\n\nthree\nit\n")
    (folder / "x.de").write_text("eins\nzwei\ndrei\nsie\n")
    case = {
        "document id": "x.de",
        "segment id": 4,
        "src pronoun": "It",
        "ref pronoun": "sie",
        "ante distance": 1,
        "errors": [{"contrastive": "er"}, {"contrastive": "es"}],
    }
    file = tmp_path / "contrapro.json"
    file.write_text(json.dumps([case, case | {"segment id": 1}]))
    first, second = read_suite(file).cases
    # The second sentence is empty.
    assert first.source == ("one", "three", "it")
    assert first.context == ("eins", "drei")
    assert (first.candidates, first.right) == (("sie", "er", "es"), 0)
    assert (first.phenomenon, first.distance) == ("it:sie", 1)
    assert second.source == ("one",)
    assert read_suite(file, context=1).cases[0].source == ("three", "it")
    with pytest.raises(InputError, match=r"holds no documents .*setup_opensubs"):
        read_suite(file, documents=tmp_path / "elsewhere")
    file.write_text(json.dumps([case | {"document id": "y.de"}]))
    with pytest.raises(InputError, match=r"lacks the document 'y\.de' of case 1"):
        read_suite(file)
    file.write_text(json.dumps([case | {"segment id": 5}]))
    with pytest.raises(InputError, match=r"'x\.de' does not fit case 1"):
        read_suite(file)


def test_both_sets_of_bawden(tmp_path):
    pair = {"correct": ["A", "B"], "incorrect": ["A", "C"]}
    anaphora = {
        "1": {
            "src": ["a", "b"],
            "trg": [
                pair | {"type": "m.sg"},
                {"semi-correct": ["A2", "C"], "incorrect": ["A2", "B"], "type": "f.sg"},
            ],
        }
    }
    file = tmp_path / "anaphora.json"
    file.write_text(json.dumps(anaphora))
    first, second = read_suite(file).cases
    assert (first.source, first.context, first.candidates) == (("a", "b"), ("A",), ("B", "C"))
    assert (second.context, second.candidates, second.phenomenon) == (("A2",), ("C", "B"), "f.sg")
    assert (first.id, second.id, first.distance) == ("1.1", "1.2", 1)
    choice = {"7": {"type": "repet", "examples": [{"src": ["a", "b"], "trg": pair}]}}
    file.write_text(json.dumps(choice))
    (case,) = read_suite(file).cases
    assert (case.id, case.phenomenon, case.candidates) == ("7.1", "repet", ("B", "C"))


@pytest.mark.parametrize("index", ["0", 1.0, True, None])
def test_an_index_that_is_no_whole_number_is_an_error(tmp_path, index):
    file = tmp_path / "suite.json"
    case = {"src": "a _eos b", "dst": ["x _eos y", "x _eos z"], "true_ind": index}
    file.write_text(json.dumps([case]))
    with pytest.raises(InputError, match=r"case 1 has .* as the index of the right candidate"):
        read_suite(file)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"own\.jsonl, line 2: is not valid JSON"),
        ("[]", r"own\.jsonl, line 2: is not a JSON object"),
        ('{"source": "a"}', "source is not a list of strings"),
        ('{"source": ["a"], "candidates": ["b", 3]}', "candidates is not a list of strings"),
        ('{"source": ["a"], "candidates": ["b", "c"], "sorce": 1}', "unknown keys: sorce; known"),
        ('{"source": ["a"], "candidates": ["b", "c"], "right": "0"}', "must be whole numbers"),
        ('{"source": ["a"], "candidates": ["b", "c"], "distance": 1.5}', "must be whole numbers"),
        ('{"source": ["a"], "candidates": ["b", "c"], "right": 2}', "2 candidates, and right is 2"),
        ('{"source": ["a"], "candidates": ["b", " "]}', "has an empty candidate"),
        ('{"source": [], "candidates": ["b", "c"]}', "has no source sentence"),
        ('{"source": ["a", "b"], "candidates": ["b", "c"]}', "has 1 source sentences of context"),
    ],
)
def test_a_case_that_is_not_valid_is_named(tmp_path, line, message):
    file = tmp_path / "own.jsonl"
    file.write_text('{"source": ["a"], "candidates": ["A", "B"]}\n' + line + "\n")
    with pytest.raises(InputError, match=message):
        read_suite(file)


def test_a_case_of_ones_own_with_equal_candidates_is_left_out_and_counted(tmp_path):
    file = tmp_path / "own.jsonl"
    lines = [json.dumps({"source": ["a"], "candidates": [a, "B"]}) for a in ("A", "B", "C")]
    file.write_text("\n".join(lines) + "\n")
    suite = read_suite(file)
    assert [case.candidates for case in suite.cases] == [("A", "B"), ("C", "B")]
    assert suite.left_out == 1
    file.write_text(lines[1] + "\n")
    with pytest.raises(InputError, match="case 1: all candidates are the same, and so in all"):
        read_suite(file)


@pytest.mark.parametrize(
    "text", ["[1]", "{}", "[]", '{"a": 1}', '[{"dst": 3}]', "3", "{", '[[""]]']
)
def test_json_of_another_kind_is_an_error(tmp_path, text):
    file = tmp_path / "suite.json"
    file.write_text(text)
    with pytest.raises(InputError, match=r"suite\.json: (is not|holds no)"):
        read_suite(file)


def test_a_tokenized_suite_is_detokenized(tmp_path):
    file = tmp_path / "own.jsonl"
    values = {"source": ["Don 't go , John ."], "candidates": ["Geh nicht , John .", "Geh ."]}
    file.write_text(json.dumps(values))
    (case,) = detokenized(read_suite(file), ("en", "de_DE")).cases
    assert case.source == ("Don't go, John.",)
    assert case.candidates == ("Geh nicht, John.", "Geh.")


@pytest.mark.parametrize("where", ["source", "context", "candidates"])
def test_a_sentence_that_is_not_text_is_an_error(tmp_path, where):
    sides = {"correct": ["a", "b"], "incorrect": ["a", "c"]}
    block = {"src": ["a", "b"], "trg": [{"type": "x"} | sides]}
    if where == "source":
        block["src"] = [1, 2]
    else:
        index = 0 if where == "context" else 1
        for side in sides:
            block["trg"][0][side][index] = {"context": 7}.get(where, [side])
    (tmp_path / "a.json").write_text(json.dumps({"1": block}))
    with pytest.raises(InputError, match=r"something else than text|not a suite"):
        read_suite(tmp_path / "a.json")


def test_a_pipe_in_the_place_of_a_document_is_not_waited_for(tmp_path):
    case = {"document id": "b.de", "segment id": 1, "src pronoun": "it", "ref pronoun": "es"}
    cases = [case | {"ante distance": 1, "errors": [{"contrastive": "Er."}]}]
    (tmp_path / "a.json").write_text(json.dumps(cases))
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "b.de").write_text("Es.\n")
    os.mkfifo(tmp_path / "documents" / "b.en")
    with pytest.raises(InputError, match=r"b\.en: is not a regular file"):
        read_suite(tmp_path / "a.json")
