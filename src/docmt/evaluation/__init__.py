"""The quality of translations: scores with their signatures, and whether two systems differ."""

from docmt.evaluation.comet import Comet
from docmt.evaluation.comparison import Comparison, format_p
from docmt.evaluation.file_evaluation import (
    Evaluation,
    FileSettings,
    evaluate_files,
    evaluate_system_files,
    evaluate_with_baselines,
)
from docmt.evaluation.metric_settings import MetricSettings, SignificanceTest
from docmt.evaluation.metrics import CustomMetric
from docmt.evaluation.realigned_documents import RealignedDocument, RealignmentCounts
from docmt.evaluation.realignment import Realigner
from docmt.evaluation.realignment_record import Realignment
from docmt.evaluation.resampling import SignTest
from docmt.evaluation.run_settings import evaluation_settings
from docmt.evaluation.score_record import write_record
from docmt.evaluation.scores import Score
from docmt.evaluation.scoring import evaluate
from docmt.evaluation.significance import compare
from docmt.evaluation.systems import SystemScore, SystemsEvaluation, evaluate_systems, system_files
from docmt.evaluation.translation_files import read_references, read_translations, scored_references

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
