"""From a path to a document: its format, also one of other packages, its columns and its shard."""
