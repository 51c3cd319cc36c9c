"""Engines: translators that are not systems of docmt, such as a large language model."""

from docmt.language_models.chat import (
    ChatAnswer,
    ChatMessage,
    ChatModel,
    ChatRequest,
    ContextTooLongError,
    TokenScore,
    TokenUsage,
)

__all__ = [
    "ChatAnswer",
    "ChatMessage",
    "ChatModel",
    "ChatRequest",
    "ContextTooLongError",
    "TokenScore",
    "TokenUsage",
]
