"""Word, PowerPoint, Excel and OpenDocument files.

Modules are imported one by one, as splitting sentences takes long to load.
"""
