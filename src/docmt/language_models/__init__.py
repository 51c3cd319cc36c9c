"""Translators that are large language models, behind an endpoint or in this process."""

from docmt.language_models.chat_model import (
    ChatAnswer,
    ChatMessage,
    ChatModel,
    ChatRequest,
    ContextTooLongError,
    TokenProbability,
    TokenUsage,
)

__all__ = [
    "ChatAnswer",
    "ChatMessage",
    "ChatModel",
    "ChatRequest",
    "ContextTooLongError",
    "TokenProbability",
    "TokenUsage",
]
