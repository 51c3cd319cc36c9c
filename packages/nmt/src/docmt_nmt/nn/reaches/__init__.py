"""Places where a module looks, apart from those that every view has: one file each.

A reach knows its full pass and its step; see `docmt_nmt.nn.views.Reach`.
"""
