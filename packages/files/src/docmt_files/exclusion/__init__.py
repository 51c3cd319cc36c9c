"""What of a file is not translated: rules of users, and the blocks without what they name."""
