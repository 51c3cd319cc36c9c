"""Files: bounded readers, files written whole, locks, JSON and hardened XML."""
