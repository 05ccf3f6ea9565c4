"""Short-time Fourier transforms and their inverse."""

from __future__ import annotations

from typing import Any

import torch

from ..capture import operator_name
from ..lowering import Like, Lowering, NotLowered, Var, lowers_complex
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


def scale_of(norm: str | None, n: int, forward: bool) -> float:
    """The factor that a transform of n points has."""
    divided = norm == "forward" if forward else norm in (None, "backward")
    return n**-0.5 if norm == "ortho" else 1 / n if divided else 1.0


def in_last_place(ctx: Lowering, x: Var, dim: int, extent: int) -> Var:
    """The value with a dimension in the last place, and so many elements in it: some are cut off, or there are zeros behind them."""
    if dim != x.rank - 1:
        shape = list(x.shape)
        shape[dim], shape[-1] = shape[-1], shape[dim]
        x = ctx.emit("transpose", (x,), dim, x.rank - 1, like=Like(tuple(shape), x.dtype))
    like = Like((*x.shape[:-1], extent), x.dtype)
    if x.shape[-1] > extent:
        return ctx.emit("slice", (x,), x.rank - 1, 0, extent, like=like)  # type: ignore[no-any-return]
    behind = (*((0, 0) if x.dtype.is_complex else ()), 0, extent - x.shape[-1])
    return ctx.emit("pad", (x,), behind, like=like) if behind[-1] else x


def back_in_place(ctx: Lowering, x: Var, dim: int, scale: float) -> Any:
    """What a transform made, with its dimension where it was, and the factor."""
    if scale != 1:
        x = ctx.emit("mul_scalar", (x,), scale, like=Like(x.shape, x.dtype))
    return x if dim == x.rank - 1 else ctx.emit("transpose", (x,), dim, x.rank - 1)


@lowers_complex("fft_rfft.default")
def rfft(ctx: Lowering, x: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    if not isinstance(x, Var) or x.dtype != torch.float32:
        raise NotLowered("of other values than float32")
    place = x.dim(dim)
    points = n or x.shape[place]
    given = in_last_place(ctx, x, place, points)
    made = ctx.emit("rfft", (given,), points, like=Like((*given.shape[:-1], points // 2 + 1), torch.complex64))
    return back_in_place(ctx, made, place, scale_of(norm, points, True))


@lowers_complex("fft_irfft.default")
def irfft(ctx: Lowering, x: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    if not isinstance(x, Var) or not x.dtype.is_complex:
        raise NotLowered("of real values")
    place = x.dim(dim)
    points = n or 2 * (x.shape[place] - 1)
    given = in_last_place(ctx, x, place, points // 2 + 1)
    made = ctx.emit("irfft", (given,), points, like=Like((*given.shape[:-1], points), torch.float32))
    # The transform of the library is that which divides by the number of points.
    return back_in_place(ctx, made, place, scale_of(norm, points, False) * points)
