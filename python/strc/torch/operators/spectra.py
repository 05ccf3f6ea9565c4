"""Short-time Fourier transforms and their inverse."""

from __future__ import annotations

from typing import Any

import torch

from ..capture import operator_name
from ..lowering import Lowering, NotLowered, Var, lowers_complex
from ..weights import Known


def window_of(ctx: Lowering, window: Any, n_fft: int, win_length: int | None, factor: float) -> str:
    """Stores a window of the transform's length, times a factor; its name. Shorter ones stand in the middle, between zeros."""
    length = win_length or n_fft
    values = torch.ones(length) if window is None else ctx.known(window, "window").tensor
    if values.dtype != torch.float32:
        raise NotLowered("its window is not of float32")
    left = (n_fft - length) // 2
    whole = torch.nn.functional.pad(values, (left, n_fft - length - left)) * factor
    return ctx.weights.store(ctx.local_name("window") if window is None or factor != 1 else window.name, whole)


def not_centred(ctx: Lowering, x: Any, n_fft: int) -> tuple[Any, int]:
    """The sequence without what `center=True` has put before and behind it by reflection, and how much that is."""
    assert ctx.node is not None
    node: Any = ctx.node.args[0] if isinstance(ctx.node, torch.fx.Node) else None
    while isinstance(node, torch.fx.Node) and operator_name(node) in ("view", "reshape"):
        node = node.args[0]
    if not isinstance(node, torch.fx.Node) or operator_name(node) not in ("pad", "reflection_pad1d"):
        return x, 0
    given: Any = node.args
    amounts, mode = tuple(given[1]), (*given[2:3], "reflect")[0]
    if mode != "reflect" or amounts != (n_fft // 2, n_fft // 2):
        return x, 0
    whole: Any = given[0]
    while isinstance(whole, torch.fx.Node) and operator_name(whole) in ("view", "reshape", "unsqueeze"):
        whole = whole.args[0]
    before = ctx.values[whole]
    return (before, n_fft // 2) if isinstance(before, Var) else (x, 0)


@lowers_complex("stft.default")
def stft(
    ctx: Lowering, x: Any, n_fft: int, hop: int | None = None, win_length: int | None = None, window: Any = None, normalized: bool = False,
    onesided: bool | None = None, return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Any:
    if onesided is False:
        raise NotLowered("both sides of the spectrum (onesided=False): of real sequences one is the mirror image of the other")
    if isinstance(x, Var) and x.dtype != torch.float32:
        raise NotLowered("of other values than float32")
    sequence, mirrored = not_centred(ctx, x, n_fft)
    named: dict[str, Any] = {"mirrored": mirrored} if mirrored else {}
    name = window_of(ctx, window, n_fft, win_length, n_fft**-0.5 if normalized else 1.0)
    return ctx.emit("stft", (sequence,), n_fft, hop or n_fft // 4, **named, weights=name)


@lowers_complex("istft.default")
def istft(
    ctx: Lowering, x: Any, n_fft: int, hop: int | None = None, win_length: int | None = None, window: Any = None, center: bool = True,
    normalized: bool = False, onesided: bool | None = None, length: int | None = None, return_complex: bool = False,
) -> Any:
    if onesided is False or return_complex:
        raise NotLowered("both sides of the spectrum (onesided=False)")
    # What is divided by the window's square is one time the window too much.
    name = window_of(ctx, window, n_fft, win_length, n_fft**-0.5 if normalized else 1.0)
    return ctx.emit("istft", (x,), n_fft, hop or n_fft // 4, n_fft // 2 if center else 0, weights=name)
