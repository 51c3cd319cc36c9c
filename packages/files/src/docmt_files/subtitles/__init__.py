"""SubRip and WebVTT subtitles.

Modules are imported one by one, as splitting sentences takes long to load.
"""
