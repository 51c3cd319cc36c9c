"""Files with both languages: XLIFF and translation memories.

Modules are imported one by one, as splitting sentences takes long to load.
"""
