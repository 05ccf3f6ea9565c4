"""Tensors of a file as PyTorch's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import onnx
import torch
from onnx import TensorProto, external_data_helper, numpy_helper

from ..errors import ImportFailure

# Types of elements that the program has.
ELEMENTS: dict[int, torch.dtype] = {
    TensorProto.FLOAT: torch.float32, TensorProto.DOUBLE: torch.float64, TensorProto.FLOAT16: torch.float16,
    TensorProto.BFLOAT16: torch.bfloat16, TensorProto.INT8: torch.int8, TensorProto.INT16: torch.int16, TensorProto.INT32: torch.int32,
    TensorProto.INT64: torch.int64, TensorProto.UINT8: torch.uint8, TensorProto.BOOL: torch.bool,
}
NUMBERS = {dtype: number for number, dtype in ELEMENTS.items()}
# What stored values of other types are held as: their numbers are the same.
HELD: dict[int, torch.dtype] = {
    TensorProto.INT4: torch.int8, TensorProto.UINT4: torch.uint8, TensorProto.INT2: torch.int8, TensorProto.UINT2: torch.uint8,
    TensorProto.UINT16: torch.int32, TensorProto.UINT32: torch.int64,
    TensorProto.COMPLEX64: torch.complex64, TensorProto.COMPLEX128: torch.complex128,
}
MOST_ELEMENTS = 2**28


def stored_name(name: str) -> str:
    """A name for the file of weights."""
    return re.sub(r"[^A-Za-z0-9_.]+", "_", name).strip("_.") or "value"


def type_name(number: int) -> str:
    """`FLOAT8E4M3FN`, or the number of a type that the package does not know."""
    return str(TensorProto.DataType.Name(number)) if number in TensorProto.DataType.values() else f"type {number}"


def dtype_of(number: int, what: str) -> torch.dtype:
    """PyTorch's type for one of the file. Raises `ImportFailure`, which names `what` is of that type."""
    if number not in ELEMENTS:
        there = ", ".join(type_name(known).lower() for known in ELEMENTS)
        raise ImportFailure(f"{what} is of {type_name(number).lower()}, and programs have {there}; a Cast in the model makes it one of these")
    return ELEMENTS[number]


def count_of(sizes: Iterable[int], what: str) -> int:
    """How many elements there are. Raises `ImportFailure` for what no memory holds, and for sizes that are none."""
    count = 1
    for size in sizes:
        if size < 0:
            raise ImportFailure(f"{what} has a dimension of {size}")
        count *= size
    if count > MOST_ELEMENTS:
        raise ImportFailure(f"{what} has {count} elements, and {MOST_ELEMENTS} are allowed: no stream would carry it")
    return count


def tensor_of(proto: onnx.TensorProto, folder: str = "") -> torch.Tensor:
    """A stored tensor; its data may lie in the folder. Raises `ImportFailure`."""
    what = f"the stored tensor '{proto.name}'"
    if proto.data_type not in ELEMENTS and proto.data_type not in HELD:
        raise ImportFailure(f"{what} is of {type_name(proto.data_type).lower()}, which programs do not have")
    count_of(proto.dims, what)
    try:
        if external_data_helper.uses_external_data(proto):
            external_data_helper.load_external_data_for_tensor(proto, folder)
        array: Any = numpy_helper.to_array(proto)
    except Exception as error:  # whatever the package raises is about the data
        raise ImportFailure(f"{what} cannot be read: its data does not fit its shape {list(proto.dims)} ({str(error).splitlines()[0]})") from error
    if proto.data_type == TensorProto.BFLOAT16:
        return torch.from_numpy(array.astype("float32")).to(torch.bfloat16)
    dtype = ELEMENTS.get(proto.data_type) or HELD[proto.data_type]
    name = str(dtype).removeprefix("torch.")
    return torch.from_numpy(array.astype(name, order="C", copy=True).reshape(tuple(proto.dims)))
