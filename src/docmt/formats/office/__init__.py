"""Word, PowerPoint, Excel and OpenDocument files."""
