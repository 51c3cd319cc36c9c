"""A document language model that chooses among the candidates of another translator."""
