"""Commands that are killed at random moments and run again: what they make in the end is, byte for
byte, what they make undisturbed, and no file is ever seen half-written.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from docmt_files import FORMATS
from docmt_nmt.recipes import dump
from formats.every_format import samples_of, write_sample
from fuzz.harness import Outcomes
from killed_commands import run_command
from toy import CLOCK, toy_recipe, write_real_corpus

KILLS_OF_A_RUN = 4
"""So often a command is killed before it may end."""
MOMENTS = ("before its output", "at work", "while writing")
"""When a command is killed: before there is anything of its output, between two files, or while a
file is being written."""
_LONGEST_WAIT = 600.0


@dataclass
class Killing:
    """A command to kill.

    Attributes:
        name: names it.
        command: makes what a path names.
        output: that path.
        found: what is compared: of a whole output, and of one that may be unfinished.
        whole: what is found after the undisturbed command.
        seconds: how long it took.
    """

    name: str
    command: Callable[[Path], tuple[str, ...]]
    output: Path
    found: Callable[[Path], dict[str, object]]
    whole: dict[str, object]
    seconds: float

    @classmethod
    def of(
        cls,
        name: str,
        folder: Path,
        command: Callable[[Path], tuple[str, ...]],
        found: Callable[[Path], dict[str, object]],
    ) -> Killing:
        """Run a command undisturbed."""
        for module in ("docmt_nmt.training", "docmt_nmt.decoding", "torch._dynamo"):
            import_module(module)  # Once, and not in each of the forked processes.
        whole = folder / "whole" / "output"
        whole.parent.mkdir()
        started = time.perf_counter()
        problem = _to_the_end(command(whole))
        assert not problem, problem
        seconds = time.perf_counter() - started
        output = folder / "killed" / "output"
        output.parent.mkdir()
        return cls(name, command, output, found, found(whole), seconds)

    def kill(self, numbers: range) -> Outcomes:
        """Kill the command once for each number, let it end, and compare what it made."""
        outcomes = Outcomes(Counter())
        draw = random.Random(f"{self.name} {numbers.start}")
        shutil.rmtree(self.output, ignore_errors=True)
        for number in numbers:
            while not self._killed(draw):  # It had ended.
                self._compare(outcomes, number, is_whole=True)
                shutil.rmtree(self.output)
            outcomes.counts[self._moment()] += 1
            self._compare(outcomes, number, is_whole=False)
        problem = _to_the_end(self.command(self.output))
        outcomes.counts["ended"] += not problem
        if problem:
            outcomes.faults.append(f"{self.name} {numbers.start}: {problem}")
        else:
            self._compare(outcomes, numbers.start, is_whole=True)
        return outcomes

    def _killed(self, draw: random.Random) -> bool:
        """Start the command and kill it; false if it ended before."""
        process = _start(self.command(self.output))
        wait = draw.uniform(0, self.seconds)
        if draw.random() < 0.5:
            deadline = time.perf_counter() + wait
            while time.perf_counter() < deadline or not _is_writing(self.output):
                if os.waitpid(process, os.WNOHANG)[0]:
                    return False
                time.sleep(0.0005)
            time.sleep(draw.uniform(0, 0.002))
        else:
            time.sleep(wait)
        os.kill(process, signal.SIGKILL)
        return os.WIFSIGNALED(os.waitpid(process, 0)[1])

    def _moment(self) -> str:
        """The moment in which the command was killed."""
        if _is_writing(self.output):
            return MOMENTS[2]
        return MOMENTS[1] if self.output.exists() else MOMENTS[0]

    def _compare(self, outcomes: Outcomes, number: int, *, is_whole: bool) -> None:
        """Compare what is there with the undisturbed output."""
        found = self.found(self.output)
        expected = self.whole if is_whole else {name: self.whole.get(name) for name in found}
        different = [n for n in {**expected, **found} if expected.get(n) != found.get(n)]
        if is_whole:
            different += [str(path) for path in self.output.parent.rglob(".*")]
        if different:
            state = "whole" if is_whole else "killed"
            fault = f"{self.name} {number}: {state} output differs: {different[:5]}"
            outcomes.faults.append(fault)


def _is_writing(output: Path) -> bool:
    """Return whether there is a file that is being written, or was when its process was killed."""
    return any(path.suffix == ".part" for path in output.parent.rglob(".*"))


def _start(command: tuple[str, ...]) -> int:
    """Start a docmt command in a forked process."""
    process = os.fork()
    if not process:
        status = 1
        try:
            run_command(*command)
            status = 0
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
        finally:
            os._exit(status)
    return process


def _to_the_end(command: tuple[str, ...]) -> str:
    """Run a command to its end; what was wrong, or nothing."""
    process = _start(command)
    deadline = time.perf_counter() + _LONGEST_WAIT
    while time.perf_counter() < deadline:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return f"ended with exit code {code}" if code else ""
        time.sleep(0.005)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return "did not end"


# Training


@contextmanager
def killed_training() -> Iterator[Killing]:
    """`docmt train` of a tiny G-Transformer on documents of the bundled corpus."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        recipe = toy_recipe(
            write_real_corpus(folder / "corpus", documents=4),
            text={"subword": "unigram", "vocabulary_size": 400},
            instances={"kind": "tokens", "max_tokens": 128},
            system={"name": "g-transformer", "layers": 2, "d_model": 16, "dropout": 0.2},
            training={
                "max_steps": 24,
                "validate_every": 4,
                "batch_tokens": 256,
                "accumulate_batches": 2,
                "word_dropout_source": 0.1,
                "average": {"kind": "best", "checkpoints": 3},
            },
        )
        (folder / "recipe.yaml").write_text(dump(recipe), encoding="utf-8")

        def command(output: Path) -> tuple[str, ...]:
            return "train", str(folder / "recipe.yaml"), "--run", str(output)

        yield Killing.of("train", folder, command, _of_run)


def _of_run(run: Path) -> dict[str, object]:
    """The weights and the log of a run that is finished, and the names of its checkpoints."""
    log = run / "log.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    if not lines or lines[-1]["kind"] != "end":
        return {}
    kept = [{key: line[key] for key in line if key not in CLOCK} for line in lines]
    names = sorted(path.name for path in (run / "checkpoints").iterdir())
    weights = (run / "weights.safetensors").read_bytes()
    return {"log": kept, "weights": weights, "checkpoints": names}


# Translating folders


@contextmanager
def killed_translation() -> Iterator[Killing]:
    """`docmt translate FOLDER` of files in several formats, by a tiny model."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        recipe = toy_recipe(
            write_real_corpus(folder / "corpus", documents=4),
            text={"subword": "unigram", "vocabulary_size": 400},
            system={"d_model": 16},
            training={"max_steps": 4, "validate_every": 4, "batch_tokens": 256},
            search={"beam_size": 1, "max_length_factor": 1.0, "max_length_offset": 4},
        )
        (folder / "recipe.yaml").write_text(dump(recipe), encoding="utf-8")
        run, source = folder / "run", folder / "in"
        problem = _to_the_end(("train", str(folder / "recipe.yaml"), "--run", str(run)))
        assert not problem, problem
        for file_format in FORMATS:
            if file_format.name in ("xliff", "tmx"):
                continue  # They name the language that they are translated into.
            inner = source / file_format.name
            inner.mkdir(parents=True)
            name, content = next(iter(samples_of(file_format).SAMPLES.items()))
            write_sample(inner, name, content)
        (source / "picture.png").write_bytes(bytes(range(256)) * 100)

        def command(output: Path) -> tuple[str, ...]:
            return "translate", "--run", str(run), str(source), "-o", str(output)

        yield Killing.of("translate", folder, command, _visible_files)


def _visible_files(folder: Path) -> dict[str, object]:
    """The files of a folder that a user sees."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if not path.name.startswith(".")
    }


Command = Callable[[], AbstractContextManager[Killing]]
"""Begins to kill a command."""

KILLED: dict[str, Command] = {
    "`docmt train`": killed_training,
    "`docmt translate FOLDER`": killed_translation,
}
"""Commands to kill, by what a table calls them."""
