"""The step of the action: translate the source files whose content has changed, check the
translations, and write the summary of the job.

A record in the repository (`.docmt.json`) has the hash of each source file and of its translations
when they were written. The cache has those sources, so that sentences that are the same keep their
translations, also as people have changed them; interrupted translations; and models. Only the
standard library is used here: docmt is a command.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

BILINGUAL = (".xlf", ".xliff", ".po", ".pot", ".tmx")
"""Files with both languages, which are checked alone."""

MAX_FINDINGS = 100
"""Findings in the summary, which has at most 1 MiB."""


class Known(TypedDict):
    """Hashes of a source file and a translation, when it was written."""

    source: str
    translation: str


Record = dict[str, dict[str, Known]]
"""What is known of each source file and language."""


INPUTS = frozenset(
    f"DOCMT_{name}"
    for name in (
        *("FILES", "TO", "FROM", "OUTPUT", "ROOT", "GET", "RUN", "GLOSSARY", "MEMORY", "RECORD"),
        "CACHE",
    )
)
"""The variables of the inputs."""


@dataclass(frozen=True)
class Settings:
    """The inputs of the action (action.yml)."""

    files: list[str]
    languages: list[str]
    root: str
    output: str
    options: list[str]
    languages_of_check: list[str]
    models: list[str]
    record: Path
    cache: Path

    @classmethod
    def from_environment(cls) -> Settings:
        """The settings of the variables DOCMT_INPUT."""

        def value(name: str) -> str:
            return os.environ.get(f"DOCMT_{name.upper()}", "").strip()

        def options(*names: str) -> list[str]:
            return [f"--{name}={value(name)}" for name in names if value(name)]

        return cls(
            files=value("files").splitlines(),
            languages=re.findall(r"[\w-]+", value("to")),
            root=Path(value("root") or ".").as_posix(),
            output=value("output") or "{path}.{to}{suffix}",
            options=options("run", "glossary", "memory", "from"),
            languages_of_check=options("glossary", "from"),
            models=value("get").split(),
            record=Path(value("record") or ".docmt.json"),
            cache=Path(value("cache") or ".docmt-cache").resolve(),
        )

    def sources(self, record: Record) -> list[Path]:
        """The files of the repository to be translated: those of the patterns, without translations
        (also of deleted files of the record) and symbolic links.

        Raises:
            ValueError: there are none, or two translations would be one file.
        """
        command = ["git", "ls-files", "-z", "--", *self.files]
        listed = subprocess.run(command, check=False, capture_output=True, text=True)
        if listed.returncode:
            raise ValueError(listed.stderr)
        names = [Path(name) for name in listed.stdout.split("\0") if name]
        files = [path for path in names if path.is_file() and not path.is_symlink()]
        known = {*files, *map(Path, record)}
        pairs = [(path, self.target(path, to)) for path in known for to in self.languages]
        translations = {target for path, target in pairs if target != path}
        sources = [path for path in files if path not in translations]
        if not sources:
            raise ValueError("no file of the repository matches `files`")
        targets = Counter(self.target(path, to) for path in sources for to in self.languages)
        target, count = targets.most_common(1)[0]
        if count > 1:
            raise ValueError(f"`output` names {target} for several translations")
        return sources

    def target(self, source: Path, to: str) -> Path:
        """The path of a translation."""
        path = source.with_suffix("").as_posix()
        below = path.removeprefix(f"{self.root}/")
        values = {"path": path, "below": below, "to": to, "suffix": source.suffix}
        named = re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), self.output)
        return Path(os.path.normpath(named))

    def copy_of(self, digest: str, suffix: str) -> Path:
        """The path of a source file in the cache."""
        return self.cache / "sources" / f"{digest}{suffix}"


@dataclass
class Outcome:
    """What became of a translation: a line of the summary.

    Attributes:
        known: what the record says of it from now on.
    """

    file: str
    language: str
    result: str
    known: Known | None = None
    written: Path | None = None
    findings: list[dict[str, str]] = field(default_factory=list)
    failed: bool = False


def main() -> int:
    """Translate what has changed. Returns the exit code."""
    settings = Settings.from_environment()
    if not settings.files or not settings.languages:
        log("`files` and `to` are needed")
        return 2
    os.environ["DOCMT_MODELS"] = str(settings.cache / "models")
    for pair in settings.models:
        if not (settings.cache / "models" / pair).exists():
            docmt("models", "get", pair)
    try:
        record = read_record(settings.record)
        sources = settings.sources(record)
    except ValueError as error:
        log(str(error))
        return 2
    outcomes = [
        outcome_of(source, to, record.get(source.as_posix(), {}).get(to), settings)
        for source in sources
        for to in settings.languages
    ]
    for outcome in outcomes:
        if outcome.known is not None:
            record.setdefault(outcome.file, {})[outcome.language] = outcome.known
    for name in [name for name in record if not Path(name).exists()]:
        targets = [settings.target(Path(name), to) for to in record[name]]
        left = ", ".join(str(path) for path in targets if path.exists())
        outcomes.append(Outcome(name, "", f"deleted; still there: {left}" if left else "deleted"))
        if not left:
            del record[name]
    used = {known["source"] for languages in record.values() for known in languages.values()}
    for copy in (settings.cache / "sources").glob("*"):
        if copy.name.partition(".")[0] not in used:
            copy.unlink()
    settings.record.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", "utf-8")
    tell(outcomes)
    return 1 if any(outcome.failed for outcome in outcomes) else 0


def read_record(path: Path) -> Record:
    """Read the record; an empty one if there is none.

    Raises:
        ValueError: it is not JSON, as after a merge with conflicts.
    """
    try:
        record: Record = json.loads(path.read_text("utf-8")) if path.exists() else {}
    except ValueError as error:
        raise ValueError(f"{path} is not JSON ({error}): correct or delete it") from None
    return record


def outcome_of(source: Path, to: str, known: Known | None, settings: Settings) -> Outcome:
    """Bring a translation up to date."""
    target, now = settings.target(source, to), digest_of(source)
    outcome = Outcome(source.as_posix(), to, "unchanged", known)
    if not target.resolve().is_relative_to(Path.cwd().resolve()) or target == source:
        outcome.result, outcome.failed = f"{target} cannot be the translation", True
    elif target.exists() and known is None:
        outcome.result = "was there before: left as it is"
        outcome.known = Known(source=now, translation=digest_of(target))
        keep(source, now, settings)
    elif not target.exists() or known is None or known["source"] != now:
        translate(source, target, outcome, settings)
    return outcome


def translate(source: Path, target: Path, outcome: Outcome, settings: Settings) -> None:
    """Translate a file, and check the translation."""
    known, previous = outcome.known, []
    if known is not None and target.exists():
        last = settings.copy_of(known["source"], source.suffix)
        if last.exists():
            previous = ["--previous", str(last), f"./{target}"]
        elif digest_of(target) != known["translation"]:
            outcome.result = "outdated: a person has changed it, and the cache lacks its source"
            return
    # Interrupted, the translation goes on there in the next job.
    work = settings.cache / "unfinished" / outcome.language / target
    work.parent.mkdir(parents=True, exist_ok=True)
    to = f"--to={outcome.language}"
    options = [to, *settings.options, *previous, f"--output={work}"]
    code, said = docmt("translate", f"./{source}", *options)
    if code != 0:
        outcome.result, outcome.failed = f"not translated: {said}", True
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(work, target)
    now = digest_of(source)
    keep(source, now, settings)
    outcome.known = Known(source=now, translation=digest_of(target))
    outcome.written, outcome.result = target, "translated"
    check(source, target, outcome, settings)


def check(source: Path, target: Path, outcome: Outcome, settings: Settings) -> None:
    """Check a translation."""
    report = settings.cache / "findings.json"
    files = [target] if target.suffix.lower() in BILINGUAL else [source, target]
    options = [*settings.languages_of_check, f"--to={outcome.language}", f"--output={report}"]
    code, said = docmt("check", *(f"./{path}" for path in files), *options)
    if code not in (0, 3):
        outcome.result = f"translated, not checked: {said}"
        return
    found = json.loads(report.read_text("utf-8"))
    outcome.result = f"translated: {found['checked'].rpartition(': ')[2]}"
    outcome.findings = found["findings"]
    report.unlink()


def keep(source: Path, digest: str, settings: Settings) -> None:
    """Keep a source file in the cache."""
    copy = settings.copy_of(digest, source.suffix)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, copy)


def digest_of(path: Path) -> str:
    """The hash of the content of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def docmt(*arguments: str) -> tuple[int, str]:
    """Run docmt. Returns the exit code and the last message."""
    command = [sys.executable, "-m", "docmt", *arguments]
    # The inputs of the action are not the configuration of docmt, which has variables like theirs.
    kept = {name: value for name, value in os.environ.items() if name not in INPUTS}
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, env=kept
    )
    lines = (done.stdout + done.stderr).splitlines()
    for line in lines:
        log(line)
    return done.returncode, lines[-1].removeprefix("docmt: ") if lines else ""


def log(line: str) -> None:
    """Print a line that GitHub takes for no command, whatever is in it."""
    print(f"| {line}", flush=True)


def tell(outcomes: list[Outcome]) -> None:
    """Write the summary and the outputs of the step."""
    unchanged = [outcome for outcome in outcomes if outcome.result == "unchanged"]
    shown = [outcome for outcome in outcomes if outcome.result != "unchanged"]
    lines = ["## Translations", ""]
    if shown:
        lines += ["| file | language | result | to look at |", "| - | - | - | - |"]
    for each in shown:
        names = [finding["check"] for finding in each.findings]
        counts = ", ".join(f"{name} ({names.count(name)})" for name in dict.fromkeys(names))
        lines.append(row(each.file, each.language, each.result, counts))
    lines += ["", f"{len(unchanged)} unchanged.", ""]
    findings = [(each.written, finding) for each in shown for finding in each.findings]
    if findings:
        lines += ["| place | check | source | translation |", "| - | - | - | - |"]
        for path, finding in findings[:MAX_FINDINGS]:
            said = f"{finding['check']}: {finding['detail']}".removesuffix(": ")
            place = f"{path}, {finding['place']}"
            lines.append(row(place, said, finding["source"], finding["translation"]))
        if len(findings) > MAX_FINDINGS:
            lines.append(f"\n{len(findings) - MAX_FINDINGS} more are not shown.")
    append("GITHUB_STEP_SUMMARY", "\n".join(lines) + "\n")
    end = uuid.uuid4().hex
    written = "".join(f"{each.written}\n" for each in shown if each.written)
    append("GITHUB_OUTPUT", f"translated<<{end}\n{written}{end}\n")


def append(variable: str, text: str) -> None:
    """Append to the file of a variable of GitHub; elsewhere, print."""
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(text)
    else:
        print(text)


def row(*cells: str) -> str:
    """A line of a table in Markdown. Text in it is text, whatever it looks like."""
    shown = (" ".join(cell.split())[:500] for cell in cells)
    escaped = (re.sub(r"[^\w\s.,:;()/-]", lambda m: f"&#{ord(m[0])};", cell) for cell in shown)
    return f"| {' | '.join(escaped)} |"


if __name__ == "__main__":
    sys.exit(main())
