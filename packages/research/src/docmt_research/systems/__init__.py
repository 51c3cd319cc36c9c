"""Systems that the papers compare with, one file each: paper, settings, module. `docmt` finds them
by entry points."""
