"""Large language models as judges of translated documents."""

from docmt_research.judging.judge import Judge, JudgeSettings
from docmt_research.judging.judgments import JudgeResult, PreferenceResult, judge_systems

__all__ = ["Judge", "JudgeResult", "JudgeSettings", "PreferenceResult", "judge_systems"]
