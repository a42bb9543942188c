"""What graphs of models that are built here are written with: `onnx_writer`."""
