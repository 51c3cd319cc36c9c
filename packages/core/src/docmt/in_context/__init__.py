"""The context switch: a document is translated alone and in context, and the translation in context
is taken only where the context, and not the manner, prefers it."""
