"""Language models in this process, by `transformers` and PyTorch."""
