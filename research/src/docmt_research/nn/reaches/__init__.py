"""Reaches: where modules look that is not their own sentence or instance, the source or a context
encoding. Each is one file with its full pass and its step; a new one adds a file."""

from docmt_research.nn.reaches.other_sentences import OtherSentences
from docmt_research.nn.reaches.own_and_previous import OwnAndPrevious
from docmt_research.nn.reaches.previous import Previous
from docmt_research.nn.reaches.recent_words import RecentWords

__all__ = ["OtherSentences", "OwnAndPrevious", "Previous", "RecentWords"]
