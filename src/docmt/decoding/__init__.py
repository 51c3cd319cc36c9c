"""Search, and translation of whole documents and files with it."""

from docmt.decoding.attention_alignment import AlignedSentence, AttentionAligner, Words, mean_scores
from docmt.decoding.attention_choice import AttentionChoice, AttentionStep
from docmt.decoding.batching import batches_by_length
from docmt.decoding.beam_search import Hypothesis
from docmt.decoding.code_alignment import CodeAligner
from docmt.decoding.files import FileCounts, translate_files
from docmt.decoding.folders import FolderCounts, translate_folder
from docmt.decoding.glossary_terms import GlossaryTerms, TermCount
from docmt.decoding.parallel import ParallelResult, search_in_parallel
from docmt.decoding.sampling import Sampling
from docmt.decoding.scorer import Candidates, Scorer, SentenceScore
from docmt.decoding.searching import search
from docmt.decoding.term_constraints import TermConstraint, TermConstraints, WordEdges
from docmt.decoding.translator import Translator

__all__ = [
    "AlignedSentence",
    "AttentionAligner",
    "AttentionChoice",
    "AttentionStep",
    "Candidates",
    "CodeAligner",
    "FileCounts",
    "FolderCounts",
    "GlossaryTerms",
    "Hypothesis",
    "ParallelResult",
    "Sampling",
    "Scorer",
    "SentenceScore",
    "TermConstraint",
    "TermConstraints",
    "TermCount",
    "Translator",
    "WordEdges",
    "Words",
    "batches_by_length",
    "mean_scores",
    "search",
    "search_in_parallel",
    "translate_files",
    "translate_folder",
]
