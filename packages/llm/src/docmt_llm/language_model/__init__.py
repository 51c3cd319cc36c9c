"""The language model as a translator: opened, asked, and its cost estimated."""
