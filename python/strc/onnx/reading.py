"""An ONNX file as a model that has been checked, whatever was in the file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
from google.protobuf.message import DecodeError
from onnx import checker, external_data_helper, shape_inference, version_converter

from ..errors import ImportFailure
from .stored import count_of

OLDEST = 13  # the version that older models are brought to
MADE_FOR = "1.23"
MOST_BYTES = 2**31  # of a file, which protobuf cannot read


def check_version(version: str = onnx.__version__) -> None:
    """Raises `ImportFailure` for a package that may check and convert otherwise."""
    if version.split(".")[:2] != MADE_FOR.split("."):
        raise ImportFailure(f"this is onnx {version}, but models are imported with onnx {MADE_FOR}: pip install 'onnx~={MADE_FOR}.0'")


def first_line(error: BaseException) -> str:
    words = [line.strip() for line in str(error).splitlines() if line.strip()]
    return words[0] if words else type(error).__name__


def parsed(path: Path) -> onnx.ModelProto:
    """The model in a file. Raises `ImportFailure`."""
    if not path.is_file():
        raise ImportFailure(f"there is no file '{path}'")
    if path.stat().st_size >= MOST_BYTES:
        raise ImportFailure(f"'{path}' has 2 GiB or more, which no ONNX file can have: store the tensors outside of it (save_as_external_data)")
    model = onnx.ModelProto()
    try:
        model.ParseFromString(path.read_bytes())
    except (DecodeError, RecursionError) as error:
        raise ImportFailure(f"'{path}' is no ONNX model, or is cut off: {first_line(error)}") from error
    check_texts(model, path)
    return model


def check_texts(model: onnx.ModelProto, path: Path) -> None:
    """Names have to be UTF-8; the package gives bytes where they are not. Raises `ImportFailure`."""
    waiting: list[Any] = [model]
    while waiting:
        for field, value in waiting.pop().ListFields():
            parts = [value] if isinstance(value, (str, bytes)) or hasattr(value, "ListFields") else value
            if field.type == field.TYPE_STRING and any(isinstance(part, bytes) for part in parts):
                raise ImportFailure(f"'{path}' is no ONNX model, or is damaged: one of its texts ({field.name}) is not UTF-8")
            if field.type == field.TYPE_MESSAGE:
                waiting.extend(parts)


def graphs_of(nodes: object) -> Iterator[onnx.GraphProto]:
    """The graphs within nodes, and theirs."""
    waiting = list(nodes)  # type: ignore[call-overload]
    while waiting:
        node = waiting.pop()
        for attribute in node.attribute:
            for graph in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
                yield graph
                waiting.extend(graph.node)


def tensors_of(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """All stored tensors, those of attributes, too."""
    nodes = [*model.graph.node, *(node for function in model.functions for node in function.node)]
    graphs = [model.graph, *graphs_of(nodes)]
    for graph in graphs:
        yield from graph.initializer
        nodes.extend(graph.node)
    for node in nodes:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors


def check_outside(tensor: onnx.TensorProto, folder: Path | None) -> None:
    """Data outside of the file has to be a file in its folder, as long as the tensor says. Raises `ImportFailure`."""
    given = {entry.key: entry.value for entry in tensor.external_data}
    place, what = given.get("location", ""), f"the data of the stored tensor '{tensor.name}'"
    if folder is None:
        raise ImportFailure(f"{what} lies outside of the model, which has no folder: load_external_data_for_model brings it in")
    path = folder / place
    inside = folder.resolve()
    if not place or os.path.isabs(place) or ".." in Path(place).parts or inside not in path.resolve().parents:
        raise ImportFailure(f"{what} lies in '{place}', which leaves the model's folder; data has to lie beside the model")
    try:
        about = path.lstat()
    except (OSError, ValueError) as error:
        raise ImportFailure(f"{what} lies in '{place}', which cannot be read: {first_line(error)}") from error
    if not stat.S_ISREG(about.st_mode):
        raise ImportFailure(f"{what} lies in '{place}', which is no plain file")
    try:
        start, length = int(given.get("offset", 0)), int(given.get("length", -1))
    except ValueError as error:
        raise ImportFailure(f"{what} has an offset or a length that is no number") from error
    if start < 0 or length < -1 or start + max(length, 0) > about.st_size:
        raise ImportFailure(f"{what} reaches beyond the end of '{place}', which has {about.st_size} bytes")


def check_tensors(model: onnx.ModelProto, folder: Path | None) -> None:
    for tensor in tensors_of(model):
        count_of(tensor.dims, f"the stored tensor '{tensor.name}'")
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            check_outside(tensor, folder)


def own_version(model: onnx.ModelProto) -> int:
    return max([one.version for one in model.opset_import if one.domain in ("", "ai.onnx")], default=0)


def converted(model: onnx.ModelProto, folder: Path | None) -> onnx.ModelProto:
    """An old model as one of version 13. Raises `ImportFailure`."""
    version = own_version(model)
    if not version or version >= OLDEST:
        return model
    try:
        if folder is not None:
            external_data_helper.load_external_data_for_model(model, str(folder))
        return version_converter.convert_version(model, OLDEST)
    except Exception as error:  # whatever the converter raises
        raise ImportFailure(
            f"the model has operators of version {version}, which the package onnx cannot convert to version {OLDEST} ({first_line(error)}); "
            f"export it again with version {OLDEST} or later"
        ) from error


def checked(model: onnx.ModelProto, path: Path | None = None) -> onnx.ModelProto:
    """A model, of a file if it has data outside of it, that holds what the standard asks for. Raises `ImportFailure`."""
    what, folder = ("the model", None) if path is None else (f"'{path}'", path.parent)
    check_version()
    if not model.HasField("graph"):
        raise ImportFailure(f"{what} has no graph")
    check_tensors(model, folder)
    newest = onnx.defs.onnx_opset_version()
    if own_version(model) > newest:
        raise ImportFailure(f"{what} has operators of version {own_version(model)}, and the package onnx knows those up to {newest}")
    made = converted(model, folder)
    try:
        checker.check_model(made if path is None or made is not model else path)
        shape_inference.infer_shapes(made, check_type=True)
    except Exception as error:  # whatever the package raises
        raise ImportFailure(f"{what} is no valid ONNX model: {first_line(error)}") from error
    return made


def load(path: str | os.PathLike[str]) -> tuple[onnx.ModelProto, Path]:
    """The model of a file, and the folder of its data. Raises `ImportFailure`."""
    place = Path(path)
    return checked(parsed(place), place), place.parent
