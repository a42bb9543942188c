"""Graphs of models that are built here from their weights: `minilm_graph`, in the format that `onnx_writer` writes."""
