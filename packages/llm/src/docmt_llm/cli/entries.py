"""The entries of the commands for language models in the list of all commands."""

from docmt.cli.command_entry import RUNS, CommandEntry

TUNE_DOCUMENT_LM = CommandEntry(
    RUNS,
    "Learn the weight of a document language model.",
    "docmt_llm.cli.tune_document_lm:tune_document_lm",
)
