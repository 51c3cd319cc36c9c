"""HTML, Markdown and electronic books."""
