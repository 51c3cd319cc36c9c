"""Several processes translate as one does, and end with it."""

from __future__ import annotations

import os
import signal
from multiprocessing import active_children

import pytest
import torch

import docmt
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.decoding.instance_search import InstanceSearch
from docmt_nmt.decoding.processes import can_share, check_processes, fair_share, process_count

PARENT = os.getpid()


def documents(count=6):
    words = ["a", "b", "c", "d", "e"]
    return [
        Document(
            str(number), tuple(" ".join(words[: 1 + (number + i) % 5]) for i in range(4 + number))
        )
        for number in range(count)
    ]


def translated(run, processes, **search):
    """Documents that several batches hold, translated by so many processes."""
    translator = docmt.load(run.directory, processes=processes, max_hypotheses=10, **search)
    found = translator.translate(documents())
    return [(each.document.target, each.log_probabilities) for each in found]


def in_a_process(action):
    """A search that does something else in the processes of a search."""
    own = InstanceSearch.search_batch

    def search_batch(self, searched, given):
        if os.getpid() != PARENT:
            action()
        return own(self, searched, given)

    return search_batch


@pytest.mark.by_default(1)
@pytest.mark.parametrize("search", [{}, {"beam_size": 1}, {"overlap": 1}], ids=str)
def test_two_processes_find_what_one_finds(tiny_run, search):
    assert translated(tiny_run, 2, **search) == translated(tiny_run, 1, **search)
    assert not active_children()


@pytest.mark.by_default(1)
@pytest.mark.parametrize("suffix", ["txt", "md", "jsonl", "srt"])
def test_files_are_the_same_bytes(tiny_run, tmp_path, suffix):
    blocks = {
        "txt": "{0}\n",
        "md": "# {0}\n\n- *{0}*\n\n",
        "jsonl": '{{"id": "{1}", "source": ["{0}", "c d"]}}\n',
        "srt": "{1}\n00:00:0{1},000 --> 00:00:0{1},900\n{0}\n\n",
    }
    texts = ("a b c", "d e", "b c d e a", "e", "a a b", "c", "d d", "b")
    source = tmp_path / f"in.{suffix}"
    source.write_text(
        "".join(blocks[suffix].format(text, i) for i, text in enumerate(texts, start=1))
    )
    outputs = []
    for processes in (1, 2):
        translator = docmt.load(tiny_run.directory, processes=processes, max_hypotheses=5)
        output = tmp_path / f"{processes}.{suffix}"
        docmt.translate_files(translator, [str(source)], [str(output)])
        outputs.append(output.read_bytes())
    assert outputs[0] == outputs[1]
    assert outputs[0] != source.read_bytes()


def test_progress_goes_on_in_the_order_of_batches(tiny_run):
    shown = {}
    for processes in (1, 2):
        translator = docmt.load(tiny_run.directory, processes=processes, max_hypotheses=10)
        shown[processes] = []
        translator.translate(
            documents(), progress=lambda *numbers, to=shown[processes]: to.append(numbers)
        )
    assert shown[1] == shown[2]
    assert len(shown[1]) > 3


def test_a_users_mistake_in_a_process_is_told_as_in_one(tiny_run, monkeypatch):
    def fail():
        raise InputError("is too long", path="a.txt", line=3, cure="Shorten it")

    monkeypatch.setattr(InstanceSearch, "search_batch", in_a_process(fail))
    with pytest.raises(InputError, match=r"^a\.txt, line 3: is too long\. Shorten it\.$") as told:
        translated(tiny_run, 2)
    assert told.value.line == 3
    assert not active_children()


def test_a_bug_in_a_process_keeps_its_traceback(tiny_run, monkeypatch):
    monkeypatch.setattr(InstanceSearch, "search_batch", in_a_process(lambda: [][1]))
    with pytest.raises(RuntimeError, match=r"(?s)failed \(IndexError: .*\)\nTraceback .*lambda"):
        translated(tiny_run, 2)
    assert not active_children()


def test_a_killed_process_is_an_error_and_no_hang(tiny_run, monkeypatch):
    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(InstanceSearch, "search_batch", in_a_process(die))
    with pytest.raises(InputError, match=r"was killed by SIGKILL, perhaps because memory"):
        translated(tiny_run, 2)
    assert not active_children()


def test_whoever_gives_up_ends_the_processes(tiny_run):
    def give_up(done, total):
        raise KeyboardInterrupt

    translator = docmt.load(tiny_run.directory, processes=2, max_hypotheses=10)
    with pytest.raises(KeyboardInterrupt):
        translator.translate(documents(), progress=give_up)
    assert not active_children()


@pytest.mark.parametrize(
    ("processes", "batches", "count"),
    [(None, 1, 1), (None, 2, 2), (None, 9, 4), (3, 2, 2), (1, 9, 1), (2, 0, 0)],
)
def test_processes_are_used_where_there_is_enough_for_half_of_them(
    processes, batches, count, monkeypatch
):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)
    assert process_count(processes, batches) == count


@pytest.mark.parametrize(
    ("hypotheses", "threads", "share"),
    [
        pytest.param(10, 2, 10, id="too few for two"),
        pytest.param(40, 2, 40, id="half of it would be too few"),
        pytest.param(50, 2, 25, id="half each rather than all in one"),
        pytest.param(240, 2, 80, id="no smaller than need be"),
        pytest.param(4000, 2, 500, id="four each, so that the last one is not waited for long"),
        pytest.param(20, 16, 20, id="too few for half of the processes"),
        pytest.param(500, 16, 32, id="one for each process"),
        pytest.param(0, 2, 0, id="none"),
    ],
)
def test_batches_are_cut_for_processes(hypotheses, threads, share):
    assert fair_share(hypotheses, threads) == share


def test_a_request_is_cut_the_same_for_any_number_of_processes(tiny_run, monkeypatch):
    own, sizes = InstanceSearch.search_batch, {}

    def search_batch(self, searched, given):
        sizes.setdefault(self.processes, []).append(len(searched))
        return own(self, searched, given)

    monkeypatch.setattr(InstanceSearch, "search_batch", search_batch)
    monkeypatch.setattr("docmt_nmt.decoding.processes.SearchProcesses.run", _one_by_one)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    for processes in (1, 2, None):
        docmt.load(tiny_run.directory, processes=processes).translate(documents(20))
    assert sizes[1] == sizes[2] == sizes[None]
    assert len(sizes[1]) > 1


def _one_by_one(self, batches):
    """The results of batches, searched in this process."""
    return (self._search(*batch) for batch in batches)


def test_processes_are_for_a_cpu(monkeypatch):
    with pytest.raises(InputError, match="is for a CPU, and this run computes on cuda"):
        check_processes(2, "cuda")
    assert can_share("cpu")
    assert not can_share("cuda")
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(InputError, match="needs Linux"):
        check_processes(2, "cpu")
    assert not can_share("cpu")
