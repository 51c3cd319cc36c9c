"""The intermediate form of users' files: blocks of text with inline codes, places of codes in a
translation, and patches of the bytes of a file.

Modules are imported one by one, as splitting sentences takes long to load.
"""
