"""The intermediate form of users' files: blocks of text with inline codes, where the codes go in a
translation, and patches that put it into the bytes of a file.

Modules are imported one by one, as splitting sentences takes long to load.
"""
