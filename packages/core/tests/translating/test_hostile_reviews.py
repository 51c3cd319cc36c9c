"""Damaged reviews neither crash `docmt merge` nor lose a translation in silence."""

from __future__ import annotations

import hostile_reviews


def test_damaged_reviews_are_refused_or_what_they_lack_is_named():
    ends = hostile_reviews.main(200)
    assert min(ends[each] for each in ("refused", "merged", "merged with notes")) > 10
