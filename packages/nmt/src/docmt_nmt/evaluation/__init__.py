"""The quality of translations: scores with their signatures, and whether two systems differ."""

from docmt_nmt.evaluation.comet import Comet
from docmt_nmt.evaluation.comparison import Comparison, format_p
from docmt_nmt.evaluation.file_evaluation import (
    Evaluation,
    FileSettings,
    evaluate_files,
    evaluate_system_files,
    evaluate_with_baselines,
)
from docmt_nmt.evaluation.metric_settings import MetricSettings, SignificanceTest
from docmt_nmt.evaluation.metrics import CustomMetric
from docmt_nmt.evaluation.realigned_documents import RealignedDocument, RealignmentCounts
from docmt_nmt.evaluation.realignment import Realigner
from docmt_nmt.evaluation.realignment_record import Realignment
from docmt_nmt.evaluation.resampling import SignTest
from docmt_nmt.evaluation.run_settings import evaluation_settings
from docmt_nmt.evaluation.score_record import write_record
from docmt_nmt.evaluation.scores import Score
from docmt_nmt.evaluation.scoring import evaluate
from docmt_nmt.evaluation.significance import compare
from docmt_nmt.evaluation.systems import (
    SystemScore,
    SystemsEvaluation,
    evaluate_systems,
    system_files,
)
from docmt_nmt.evaluation.translation_files import (
    read_references,
    read_translations,
    scored_references,
)

__all__ = [
    "Comet",
    "Comparison",
    "CustomMetric",
    "Evaluation",
    "FileSettings",
    "MetricSettings",
    "RealignedDocument",
    "Realigner",
    "Realignment",
    "RealignmentCounts",
    "Score",
    "SignTest",
    "SignificanceTest",
    "SystemScore",
    "SystemsEvaluation",
    "compare",
    "evaluate",
    "evaluate_files",
    "evaluate_system_files",
    "evaluate_systems",
    "evaluate_with_baselines",
    "evaluation_settings",
    "format_p",
    "read_references",
    "read_translations",
    "scored_references",
    "system_files",
    "write_record",
]
