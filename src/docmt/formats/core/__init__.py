"""The intermediate form of users' files: blocks of text with inline codes, and patches that put
translations into the bytes of a file."""
