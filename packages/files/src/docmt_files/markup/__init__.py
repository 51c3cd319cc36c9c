"""HTML, Markdown and electronic books.

Modules are imported one by one, as splitting sentences takes long to load.
"""
