"""Word alignment: the links between the words of a sentence and the words of the translation, by
the attention of a system or by statistics of the text. The modules are imported one by one: `links`
and `statistical` need no torch.
"""
