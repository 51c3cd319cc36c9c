"""The small operations of a search step in eight bits, and attention of training in bf16, in C.

Half of the time of a linear layer in eight bits would pass in small operations around the product,
and attention over a cache reads memory at a fraction of its rate. `rows.c`, `attention.c`, `sums.c`
and `spans.c` have these operations, which know rows, spans and caches, and no system. They are
compiled once for each kind of processor when docmt is installed, if there is a compiler. `choice`
tries what was compiled against `reference`, PyTorch's operations, which compute where nothing fits;
`operations` is for the modules of `docmt_nmt.nn`.
"""
