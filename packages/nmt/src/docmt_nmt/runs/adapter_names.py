"""The name of the context adapter of a model. Nothing here needs torch."""

ADAPTER = "context_adapter.safetensors"
"""The file in the run directory: of a base model, the adapter that goes with it; of a training over
frozen weights, the adapter that it has written."""
