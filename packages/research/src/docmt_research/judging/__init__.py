"""Large language models as judges of translated documents."""

from docmt_research.judging.judgments import JudgeResult, PreferenceResult, judge_systems
from docmt_research.judging.passage_judge import Judge, JudgeSettings

__all__ = ["Judge", "JudgeResult", "JudgeSettings", "PreferenceResult", "judge_systems"]
