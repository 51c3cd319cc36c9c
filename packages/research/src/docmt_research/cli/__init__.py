"""The commands added to `docmt` by this package, each in a module of its own."""
