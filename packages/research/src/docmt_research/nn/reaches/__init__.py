"""Reaches: places where modules look, apart from the own sentence or instance, the source and
context encodings. Each reach is one file with a full pass and a step; a new reach adds a file."""

from docmt_research.nn.reaches.other_sentences import OtherSentences
from docmt_research.nn.reaches.own_and_previous import OwnAndPrevious
from docmt_research.nn.reaches.previous import Previous
from docmt_research.nn.reaches.recent_words import RecentWords

__all__ = ["OtherSentences", "OwnAndPrevious", "Previous", "RecentWords"]
