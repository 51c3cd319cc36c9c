"""`Service`: translators, limits and stores behind all APIs."""

from __future__ import annotations

import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from docmt.memory import MatchPenalties
from docmt.translating.streaming import TextPart
from docmt.translating.texts import TextRequest, TranslatedText
from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.storage.locks import locked
from docmt_nmt.translators.glossary import Glossary
from docmt_serve.jobs.job import Job
from docmt_serve.jobs.jobs import JobStore
from docmt_serve.jobs.translation_tasks import TranslationTasks
from docmt_serve.models.models import Model, Models
from docmt_serve.requests.byte_budget import BodyBudgets, ByteBudget, HeldBody
from docmt_serve.requests.form_parts import BodyLimits, ReceivedFile
from docmt_serve.requests.identifiers import new_id, safe_name
from docmt_serve.requests.request_models import FileRequest, RequestModel
from docmt_serve.requests.request_values import read_values, url_values
from docmt_serve.requests.service_errors import ServiceError, no_space, stopping
from docmt_serve.scheduler import BatchScheduler
from docmt_serve.service.service_metrics import Metrics
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.stores.api_keys import ApiKeys, key_in_header
from docmt_serve.stores.glossary_store import GlossaryStore
from docmt_serve.stores.memory_store import MemoryStore, MemoryUse
from docmt_serve.stores.style_store import StyleStore

R = TypeVar("R", bound=RequestModel)

T = TypeVar("T")

_CHUNK = 1 << 20

_MORE_FIELDS = 100
"""Maximum number of fields of a request beside the texts."""

_PARSED_AT_ONCE = 2
"""Maximum number of large bodies parsed at a time."""

_LAST_SECOND = 1.0
"""Seconds before the end of the grace time, at which waiting requests are refused."""


@dataclass(frozen=True, eq=False)
class Service:
    """The service behind all APIs.

    Attributes:
        settings: settings.
        models: translators.
        folder: folder for files.
        scheduler: searches the batches of all requests and jobs.
        tasks: translations of texts.
        jobs: translations of files.
        keys: API keys.
        glossaries: glossaries of accounts.
        memories: translation memories of accounts.
        styles: style rules of accounts.
        budgets: budgets of the bodies of requests.
        metrics: counts for the operator.
    """

    settings: ServiceSettings
    models: Models
    folder: Path
    scheduler: BatchScheduler
    tasks: TranslationTasks
    jobs: JobStore
    keys: ApiKeys
    glossaries: GlossaryStore
    memories: MemoryStore
    styles: StyleStore
    budgets: BodyBudgets
    metrics: Metrics
    _parsing: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(_PARSED_AT_ONCE))
    _stopping: threading.Event = field(default_factory=threading.Event)
    _given_up: threading.Event = field(default_factory=threading.Event)
    _open: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def of(cls, settings: ServiceSettings, models: Models, folder: Path) -> Service:
        """Make a service.

        Args:
            settings: settings.
            models: translators.
            folder: folder for files.

        Raises:
            InputError: the file of keys cannot be used.
        """
        keys = ApiKeys.read(settings.keys, folder / "usage.json")
        metrics = Metrics()
        scheduler = BatchScheduler(metrics.observe_batch)
        tasks = TranslationTasks(scheduler, settings.queue_limit)
        glossaries = GlossaryStore(folder / "glossaries")
        memories = MemoryStore(folder / "memories")

        def glossary(account: str, ids: str, model: Model) -> Glossary:
            try:
                return glossaries.terms(account, ids.split(","), model.source, model.target)
            except ServiceError as error:
                raise InputError(error.message) from None

        def memory(job: Job, model: Model) -> MemoryUse:
            languages, rate = (model.source, model.target), job.memory_threshold / 100
            assert job.memory is not None, "asked for jobs with a memory"
            penalties = MatchPenalties.parse(job.memory_penalties)
            try:
                return memories.use(job.account, job.memory, languages, rate, penalties)
            except ServiceError as error:
                raise InputError(error.message) from None

        limits = settings.job_limit, settings.keep_files, settings.storage_limit
        jobs = JobStore(folder / "jobs", models, scheduler, *limits, glossary, memory)
        files = ByteBudget(settings.upload_limit, lambda: jobs.stored, settings.storage_limit)
        metrics.watch(lambda: scheduler.waiting, jobs.counts)
        return cls(
            settings,
            models,
            folder,
            scheduler,
            tasks,
            jobs,
            keys,
            glossaries,
            memories,
            StyleStore(folder / "styles"),
            BodyBudgets(files),
            metrics,
        )

    def __enter__(self) -> Self:
        """Start the threads.

        Raises:
            InputError: the folder cannot be used, or another service uses the folder.
        """
        with ExitStack() as opening:
            opening.enter_context(_owned(self.folder))
            opening.enter_context(self.scheduler)
            self.glossaries.open()
            self.memories.open()
            self.styles.open()
            self.jobs.open()
            self._open.push(opening.pop_all())
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self.give_up()
        self.tasks.close()
        self.jobs.close()
        self._open.close()
        self.keys.close()

    @property
    def is_stopping(self) -> bool:
        """True if new requests are refused."""
        return self._stopping.is_set()

    @property
    def has_given_up(self) -> bool:
        """True if waiting requests are refused, too."""
        return self._given_up.is_set()

    @property
    def is_ready(self) -> bool:
        """True if the scheduler is alive and the service is not stopping."""
        return self.scheduler.is_alive and not self.is_stopping

    def stop(self, grace: float) -> None:
        """Refuse new requests, and finish running requests.

        Args:
            grace: seconds until running requests are given up.
        """
        self._stopping.set()
        timer = threading.Timer(max(0.0, grace - _LAST_SECOND), self.give_up)
        timer.daemon = True
        timer.start()

    def give_up(self) -> None:
        """Cancel translations of texts. Files are kept."""
        self._given_up.set()
        self.tasks.give_up()

    def account_of(self, request: Request, key: str | None = None) -> str:
        """The account of a request; empty if no key is needed.

        Args:
            request: the request. A key in the header `Authorization` comes first.
            key: key among the values of the request.

        Raises:
            ServiceError: the key is missing or unknown.
        """
        return self.keys.account_of(key_in_header(request) or key)

    async def read(
        self, request: Request, model: type[R], held: HeldBody, most_text: int
    ) -> tuple[R, str]:
        """Read the values and the account of a request.

        Args:
            request: the request, with values in the body and the URL.
            model: the model of the values.
            held: gets the body.
            most_text: maximum bytes of the body, apart from a file.

        Raises:
            ServiceError: the key is missing or unknown, or the values are not valid. A wrong key in
                the header or the URL ends the request before the body is read. Without a key there,
                only a small body is read, and no file before the key.
        """
        fields = self.settings.batch_limit + _MORE_FIELDS
        in_url = url_values(request, fields)
        takes_file = issubclass(model, FileRequest)
        account: str | None = None

        def know(key: str | None) -> None:
            nonlocal account
            account = self.keys.account_of(key)
            held.move(self.budgets.files if takes_file else self.budgets.texts)

        def on_file(values: dict[str, Any]) -> None:
            if account is None:
                know(model.key_in(values))

        key = key_in_header(request) or model.key_in(in_url)
        if key or self.keys.keys is None:
            know(key)
        else:
            most_text = min(most_text, self.settings.text_bytes)
        file = self.settings.file_limit if takes_file else 0
        limits = BodyLimits(most_text, file, fields, self._parsing)
        values = in_url | await read_values(request, limits, held, on_file)
        on_file(values)
        for name in in_url:
            if values[name] != in_url[name]:
                raise ServiceError(400, f"{name} has other values in the URL and in the body")
        assert account is not None
        return await limits.run(partial(model.of, values), held.size), account

    async def run(self, function: Callable[[], T]) -> T:
        """Run a function that takes long in a thread; a few of them at a time, so that they do not
        keep others from being answered."""
        return await run_sync(function, limiter=self._parsing)

    def check_glossary(self, text: str) -> None:
        """Check the length of a glossary in a request.

        Raises:
            ServiceError: there are too many characters.
        """
        if len(text) > (most := self.settings.char_limit):
            raise ServiceError(413, f"the glossary exceeds {most} characters")

    def check_length(self, texts: TextRequest) -> int:
        """Number of characters of texts.

        Raises:
            ServiceError: there are too many characters or texts.
        """
        if len(texts.texts) > self.settings.batch_limit:
            raise ServiceError(
                400, f"{len(texts.texts)} texts exceed the limit ({self.settings.batch_limit})"
            )
        if len(texts.ignored) > self.settings.batch_limit:
            raise ServiceError(400, f"more than {self.settings.batch_limit} ignored tags")
        counted = texts.context, *texts.texts, *texts.known, *texts.ignored
        characters = sum(map(len, counted))
        if characters > self.settings.char_limit:
            raise ServiceError(
                413, f"{characters} characters exceed text limit ({self.settings.char_limit})"
            )
        return characters

    async def translate(
        self,
        request: Request,
        models: Sequence[Model],
        texts: TextRequest,
        account: str,
        memory: MemoryUse | None = None,
    ) -> list[TranslatedText]:
        """Translate the texts of a request within the limits.

        Args:
            request: the request.
            models: the model of each text.
            texts: the texts.
            account: account of the request.
            memory: a translation memory.

        Raises:
            ServiceError: a limit is exceeded, or the service is stopping.
            InputError: the model cannot meet the request.
        """
        self.check_length(texts)
        translated: dict[int, TranslatedText] = {}
        for name in dict.fromkeys(model.name for model in models):
            indexes = [index for index, model in enumerate(models) if model.name == name]
            own = replace(texts, texts=tuple(texts.texts[index] for index in indexes))
            answers = await self._translate(request, models[indexes[0]], own, account, memory)
            translated.update(zip(indexes, answers, strict=True))
        return [translated[index] for index in range(len(models))]

    async def _translate(
        self,
        request: Request,
        model: Model,
        texts: TextRequest,
        account: str,
        memory: MemoryUse | None,
    ) -> list[TranslatedText]:
        characters = self.check_length(texts)
        if self.is_stopping:
            raise stopping()

        def begin(is_shared: bool) -> None:
            # A request that waits for another one's translation counts as a request only.
            own = 0 if is_shared else characters
            self.keys.charge(account, own)
            self.metrics.characters.inc(own)

        return await self.tasks.translate(request, model, texts, account, begin, memory)

    def stream(
        self, request: Request, model: Model, text: str, account: str
    ) -> AsyncIterator[TextPart]:
        """Translate a text within the limits, in parts as they are ready.

        Args:
            request: the request.
            model: the model.
            text: the text.
            account: account of the request.

        Raises:
            ServiceError: a limit is exceeded, or the service is stopping.
            InputError: the model cannot meet the request.
        """
        characters = self.check_length(TextRequest((text,)))
        if self.is_stopping:
            raise stopping()

        def begin() -> None:
            self.keys.charge(account, characters)
            self.metrics.characters.inc(characters)

        return self.tasks.stream(request, model, text, begin)

    async def add_job(
        self, asked: FileRequest, model: Model, account: str, **options: object
    ) -> Job:
        """Add a job for an uploaded file.

        Args:
            asked: the request with the file.
            model: translates the file.
            account: account of the request.
            options: further attributes of the job.

        Raises:
            ServiceError: the file is too large, too many files wait, or the service is stopping.
            InputError: the format of the request does not exist.
        """
        if self.is_stopping:
            raise stopping()
        Input(file_format=asked.file_format)
        name = safe_name(asked.filename or asked.file.filename)
        job = Job(
            new_id(),
            account,
            name,
            model.name,
            asked.file_format,
            **options,  # type: ignore[arg-type]
        )
        await run_in_threadpool(self._store, asked.file, job)
        return self.jobs.latest(job)

    def _store(self, file: ReceivedFile, job: Job) -> None:
        """Store the uploaded file of a job.

        Raises:
            ServiceError: too many files wait, the account has used up a limit, or the disk is full.
        """
        try:
            with self.jobs.add(job) as path, path.open("wb") as out:
                shutil.copyfileobj(file.file, out, _CHUNK)
                self.keys.charge(job.account, out.tell())
        except (OSError, InputError):
            raise no_space() from None
        finally:
            file.held.release()


@contextmanager
def _owned(folder: Path) -> Iterator[None]:
    """Lock the folder of a service.

    Raises:
        InputError: another service uses the folder, or the folder cannot be created.
    """
    try:
        with locked(folder, wait=False):
            yield
    except BlockingIOError:
        raise InputError(
            "is the folder of a service that is running",
            path=folder,
            cure="Stop that one, or choose another `folder`",
            parameters=("folder",),
        ) from None
