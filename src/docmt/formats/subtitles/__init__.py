"""SubRip and WebVTT subtitles.

Modules are imported one by one, as splitting sentences takes long to load.
"""

__all__ = [
    "subtitle_cues",
    "subtitle_files",
    "subtitle_lines",
    "subtitle_rules",
    "subtitle_segments",
]
