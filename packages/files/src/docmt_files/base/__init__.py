"""What all packages share: errors, messages, documents, languages and the entry points of other
packages."""
