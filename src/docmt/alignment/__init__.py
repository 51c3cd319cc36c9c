"""Word alignment: which words of a sentence and of its translation belong together, by the
attention of a system or by statistics of the text. Its modules are imported one by one: `links` and
`statistical` need no torch.
"""
