"""Compile the run of a system: graphs for ONNX Runtime in place of PyTorch."""
