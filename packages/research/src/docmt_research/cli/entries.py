"""The entries of the commands of research in the list of all commands."""

from docmt.cli.command_entry import CommandEntry

_PANEL = "docmt-research"

ATTENTION = CommandEntry(
    _PANEL, "Show where a system looks.", "docmt_research.cli.attention_command:attention"
)
CHECK_COUNTS = CommandEntry(
    _PANEL,
    "Compare a prepared corpus with the sizes that a paper prints.",
    "docmt_research.cli.check_counts:check_counts",
)
CONTRAST = CommandEntry(
    _PANEL, "Evaluate a system on contrastive suites.", "docmt_research.cli.contrast:contrast"
)
CURVES = CommandEntry(_PANEL, "Draw the curves of trainings.", "docmt_research.cli.curves:curves")
CXMI = CommandEntry(
    _PANEL, "Measure what context is worth to a system.", "docmt_research.cli.cxmi:cxmi"
)
DISCOURSE = CommandEntry(
    _PANEL,
    "Measure pronouns, lexical consistency and discourse markers.",
    "docmt_research.cli.discourse:discourse",
)
JUDGE = CommandEntry(
    _PANEL,
    "Let a language model judge translations of documents.",
    "docmt_research.cli.judge:judge",
)
MAKE_CONTRAST = CommandEntry(
    _PANEL,
    "Make a contrastive suite from a corpus.",
    "docmt_research.cli.make_contrast:make_contrast",
)
REPORT = CommandEntry(_PANEL, "Compare runs on one page.", "docmt_research.cli.report:report")
LOG_PROBABILITIES = CommandEntry(
    _PANEL,
    "Give the log-probability of translations.",
    "docmt_research.cli.log_probabilities:log_probabilities",
)
SWEEP = CommandEntry(
    _PANEL, "Train a recipe along axes, and draw figures.", "docmt_research.cli.sweep:sweep"
)
TUNE_ALIGNMENT = CommandEntry(
    _PANEL,
    "Choose the attention that aligns words best.",
    "docmt_research.cli.tune_alignment:tune_alignment",
)
