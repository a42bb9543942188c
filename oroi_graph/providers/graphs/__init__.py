"""ONNX graphs of local embedding models, made from their weights.

`encoder` puts a transformer encoder together from tensors, `writer` writes the messages of the ONNX format. Import
these modules by name.
"""
