"""`Service`: what the APIs of the service share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from starlette.requests import Request

from docmt.decoding.scheduler import BatchScheduler
from docmt.errors import InputError
from docmt.glossaries import Glossary
from docmt.serving.api_keys import ApiKeys
from docmt.serving.glossary_entries import glossary_of
from docmt.serving.glossary_store import GlossaryStore
from docmt.serving.jobs import Job, JobStore, new_id, safe_name
from docmt.serving.models import Model, Models
from docmt.serving.request_values import Values, read_values
from docmt.serving.service_errors import ServiceError
from docmt.serving.service_settings import ServiceSettings
from docmt.serving.text_translation import TextRequest, TranslatedText
from docmt.serving.work import Work

_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class Service:
    """The translators of a service, and what they are at.

    Attributes:
        settings: what it grants.
        models: its translators.
        scheduler: searches the batches of all.
        work: translations that somebody waits for.
        jobs: files.
        keys: who may use it.
        glossaries: those of accounts.
    """

    settings: ServiceSettings
    models: Models
    scheduler: BatchScheduler
    work: Work
    jobs: JobStore
    keys: ApiKeys
    glossaries: GlossaryStore

    @classmethod
    def of(cls, settings: ServiceSettings, models: Models, folder: Path) -> Service:
        """Make the service of some translators.

        Args:
            settings: what it grants.
            models: its translators.
            folder: where it keeps files.

        Raises:
            InputError: the file of keys cannot be used.
        """
        keys = ApiKeys.read(settings.keys, folder / "usage.json")
        scheduler = BatchScheduler()
        work = Work(scheduler, settings.queue_limit)
        glossaries = GlossaryStore(folder / "glossaries")

        def glossary(account: str, glossary_id: str, model: Model) -> Glossary:
            try:
                stored = glossaries.get(account, glossary_id)
                return glossary_of(stored.dictionary(model.source, model.target).entries)
            except ServiceError as error:
                raise InputError(error.message) from None

        limits = settings.job_limit, settings.keep_files
        jobs = JobStore(folder / "jobs", models, scheduler, *limits, glossary)
        return cls(settings, models, scheduler, work, jobs, keys, glossaries)

    def __enter__(self) -> Self:
        self.scheduler.__enter__()
        self.glossaries.open()
        self.jobs.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.work.close()
        self.jobs.close()
        self.scheduler.__exit__()
        self.keys.close()

    def account_of(self, request: Request, key: str | None = None) -> str:
        """The account of a request, "" where no key is needed.

        Args:
            request: the request; a key may stand in its header `Authorization`.
            key: the key that it has elsewhere, as its API wants it.

        Raises:
            ServiceError: the key is missing or unknown.
        """
        scheme, _, given = request.headers.get("authorization", "").strip().rpartition(" ")
        if scheme.lower() in ("bearer", "deepl-auth-key"):
            key = given
        return self.keys.account_of(key)

    async def values(self, request: Request) -> Values:
        """The values of a request, whatever form they have."""
        return await read_values(request, max_part=4 * self.settings.char_limit)

    async def translate(
        self, request: Request, model: Model, texts: TextRequest, account: str
    ) -> list[TranslatedText]:
        """Translate the texts of a request within the limits.

        Raises:
            ServiceError: a limit is exceeded.
            InputError: the model cannot do what is asked for.
        """
        if len(texts.texts) > self.settings.batch_limit:
            raise ServiceError(
                400, f"{len(texts.texts)} texts exceed the limit ({self.settings.batch_limit})"
            )
        characters = len(texts.context) + sum(map(len, texts.texts))
        if characters > self.settings.char_limit:
            raise ServiceError(
                413, f"{characters} characters exceed text limit ({self.settings.char_limit})"
            )
        self.keys.charge(account, characters)
        return await self.work.translate(request, model, texts, account)

    async def add_job(self, values: Values, model: Model, account: str, **options: object) -> Job:
        """Add a job for the uploaded file of a request.

        Args:
            values: those of the request.
            model: translates it.
            account: whose it is.
            options: further attributes of the job.

        Raises:
            ServiceError: there is no file, it is too large, or too many files wait.
        """
        file = values.file("file")
        if file is None:
            raise ServiceError(400, "Invalid request: missing file")
        name = values.text("filename") or file.filename
        job = Job(new_id(), account, safe_name(name), model.name, **options)  # type: ignore[arg-type]
        with self.jobs.add(job) as path, path.open("wb") as out:
            size = 0
            while chunk := await file.read(_CHUNK):
                size += len(chunk)
                if size > self.settings.file_limit:
                    raise ServiceError(413, f"the file exceeds {self.settings.file_limit} bytes")
                out.write(chunk)
            self.keys.charge(account, size)
        return self.jobs.get(job.id)
