"""`RequestModel`: the values of a request, checked by pydantic.

Clients send values as JSON, as a form or in the URL. Values of forms and URLs are texts; the values
of a repeated name are a list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    ValidationError,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from docmt_serve.requests.form_parts import ReceivedFile
from docmt_serve.requests.service_errors import ServiceError

_TEXTS_TO_TRANSLATE = ("q", "text", "content")
"""Fields in which an empty text is a text. Elsewhere an empty value counts as left out."""

_MOST_NAMES = 2000
"""Maximum number of values of an object, as each unknown one is an error to report."""


def says(message: str) -> WrapValidator:
    """Replace all errors of a type by a message, put after the name of the field."""

    def validate(value: Any, handler: Any) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise PydanticCustomError("value", "{words}", {"words": message}) from None

    return WrapValidator(validate)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, says("must be a text")]
"""A text."""

Texts = Annotated[str | tuple[str, ...], says("must be a text or a list of texts")]
"""One text or a list of texts."""

TextList = Annotated[
    tuple[str, ...],
    FailFast(),
    BeforeValidator(_as_list, json_schema_input_type=str | list[str]),
    says("must be a text or a list of texts"),
]
"""A list of texts. A single text counts as a list."""

Flag = Annotated[bool, says("must be true or false")]
"""A truth value, also as text: `1`, `true`, `0`, `false`."""

Upload = Annotated[
    ReceivedFile,
    says("must be an uploaded file"),
    WithJsonSchema({"type": "string", "contentMediaType": "application/octet-stream"}),
]
"""An uploaded file."""


class RequestModel(BaseModel):
    """The values of a request. An unknown name is an error, because the request would seem to be
    met.

    Attributes:
        missing: the message about a field that is left out.
        unsupported: the message about a value outside a list of choices.
        unknown: the message about an unknown name.
        without_effect: names accepted without an effect on the answer.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        use_attribute_docstrings=True,
        defer_build=True,
    )

    missing: ClassVar[str] = "{name} is missing"
    unsupported: ClassVar[str] = "{name} must be {expected}"
    unknown: ClassVar[str] = "{name} is not supported"
    without_effect: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _without_empty_values(cls, values: Any) -> dict[str, Any]:
        if not isinstance(values, Mapping):
            raise PydanticCustomError("object", "must be an object")
        if len(values) > _MOST_NAMES:
            raise PydanticCustomError("object", "has too many values")
        return {
            name: value
            for name, value in values.items()
            if value is not None and value != [] and (value != "" or name in _TEXTS_TO_TRANSLATE)
            if name not in cls.without_effect
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Check the values of a request.

        Raises:
            ServiceError: a value is missing or not valid.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise ServiceError(400, cls._message(error.errors()[0])) from None

    @classmethod
    def own_values(cls, values: Mapping[str, Any]) -> Self:
        """Check the values of the fields of this model, and leave out all others.

        Raises:
            ServiceError: a value is missing or not valid.
        """
        names = {field.alias or name for name, field in cls.model_fields.items()}
        return cls.of({name: value for name, value in values.items() if name in names})

    @classmethod
    def key_in(cls, values: Mapping[str, Any]) -> str:
        """The API key among the values of a request; empty if there is none."""
        del values
        return ""

    @classmethod
    def _message(cls, problem: Any) -> str:
        """A problem in the words of the API."""
        name = next(
            part for part in reversed(("request", *problem["loc"])) if isinstance(part, str)
        )
        if problem["type"] == "extra_forbidden":
            return cls.unknown.format(name=name)
        if problem["type"] == "missing":
            return cls.missing.format(name=name)
        if problem["type"] == "literal_error":
            given = problem["input"] if isinstance(problem["input"], str) else "This"
            return cls.unsupported.format(name=name, given=given, **problem["ctx"])
        return f"{name} {problem['msg'].replace('Input should be', 'must be')}"


class FileRequest(RequestModel):
    """A request with a file."""

    file: Upload
    """The file. The suffix of the name determines the format."""

    filename: Text = ""
    """Name of the file. Default: name of the upload."""

    file_format: Text | None = None
    """Format of the file, whatever the name; `text` for plain text. Default: by the name."""
