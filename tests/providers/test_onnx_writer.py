"""What is written by hand is what the library `onnx` writes, byte for byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from oroi_graph.providers.graphs import writer


def test_a_model_is_the_librarys_own_bytes() -> None:
    tensors: dict[str, NDArray[Any]] = {
        "weights": np.arange(384, dtype=np.float32).reshape(2, 192) / 7,
        "axis": np.array([-1, 2**40], dtype=np.int64),
        "scale": np.asarray(np.float32(0.5)),
        "pairs": np.arange(32, dtype=np.uint8).reshape(2, 1, 16),
    }
    nodes: tuple[tuple[Any, ...], ...] = (
        ("MatMul", ["x", "weights"], "y", {}),
        ("LayerNormalization", ["y", "scale", "scale"], "out", {"axis": -1, "epsilon": 1e-12}),
        ("Transpose", ["out"], "z", {"perm": (0, 2, 1)}),
        ("MatMulNBits", ["z", "pairs", "scale"], "end", {"K": 32, "N": 2}, "com.microsoft"),
    )
    opsets = {"": 20, "com.microsoft": 1}
    expected = helper.make_model(
        helper.make_graph(
            [
                helper.make_node(kind, inputs, [output], domain=domain[0] if domain else None, **given)
                for kind, inputs, output, given, *domain in nodes
            ],
            "ñ",
            [helper.make_tensor_value_info("x", TensorProto.INT64, ["batch", 300])],
            [
                helper.make_tensor_value_info("z", TensorProto.FLOAT, []),
                helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch"]),
            ],
            [numpy_helper.from_array(values, name) for name, values in tensors.items()],
        ),
        opset_imports=[helper.make_opsetid(*one) for one in opsets.items()],
        ir_version=9,
        producer_name="tests",
    )
    graph = writer.graph(
        "ñ",
        [writer.node(*one) for one in nodes],
        [writer.tensor(*one) for one in tensors.items()],
        inputs=writer.value("x", writer.INT64, ["batch", 300]),
        outputs=[writer.value("z", writer.FLOAT, []), writer.value("y", writer.FLOAT, ["batch"])],
    )
    found = writer.model(graph, opsets=opsets, ir_version=9, producer="tests")
    assert found == expected.SerializeToString(deterministic=True)
    assert onnx.load_from_string(found).graph.initializer[1].dims == [2]
