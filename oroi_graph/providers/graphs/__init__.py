"""ONNX graphs of the weights of local models: `encoder_graph` says what they compute, `onnx_writer` writes them."""
