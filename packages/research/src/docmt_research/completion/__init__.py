"""Teacher by completion: English documents become training documents for a system that reads
context, without any translation by people.

A sentence that only its document explains is completed (*Yes, I did* → *Yes, I did know*); a
sentence-level translator translates the completed sentence, and its translation is the target of
the sentence as it was.
"""

from docmt_research.completion.dialogues import made_dialogues
from docmt_research.completion.english_ellipsis import (
    complete_ellipsis,
    ends_in_auxiliary,
    is_elliptical,
)
from docmt_research.completion.english_verbs import antecedent_verb
from docmt_research.completion.pronouns import with_noun, with_pronoun
from docmt_research.completion.teacher import CompletedDocument, completed_by_rule, teach

__all__ = [
    "CompletedDocument",
    "antecedent_verb",
    "complete_ellipsis",
    "completed_by_rule",
    "ends_in_auxiliary",
    "is_elliptical",
    "made_dialogues",
    "teach",
    "with_noun",
    "with_pronoun",
]
