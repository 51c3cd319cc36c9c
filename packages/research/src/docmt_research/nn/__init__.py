"""Recurrent networks, attentions and reaches of the systems in `docmt_research.systems`."""
