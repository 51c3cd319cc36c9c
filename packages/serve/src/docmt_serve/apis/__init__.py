"""The routes of each API, with its schemas."""
