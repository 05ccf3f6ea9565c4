"""The networks of examples/streaming, and each as one would run it chunk by chunk by hand, its states going in and coming out.

A step takes a chunk in the shape of the model's input, some periods long, and gives what the model gives for the whole sequence, `late` time steps of each result
later. It takes about as many lines as the model: this is what `strc import --streaming` writes instead.
"""

import importlib.util
import sys
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrize

from carry import Carry, Spectra

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "streaming"


def conv_tasnet(m, x, c):
    def block(b, y):
        z = b.norm1(b.act1(b.widen(y)))
        z = b.norm2(b.act2(b.depthwise(c.past(z, b.reach))))
        return y + b.residual(z), b.skip(z)

    windows = torch.relu(m.encoder(c.past(x, 8)))
    y, total = m.narrow(m.norm(windows)), 0
    for b in m.blocks:
        y, skip = block(b, y)
        total = total + skip
    masks = m.masks(total).chunk(m.voices, 1)
    return (c.overlap(torch.cat([m.decoder(windows * mask) for mask in masks], 1), 8),)


def deep_filter(m, x, c):
    real, imaginary = m.spectra.forward(x, c)
    loud = torch.log10(m.to_bands(torch.sqrt(real**2 + imaginary**2).transpose(1, 2)).square() + 1e-2)
    state = c.recurrent(m.memory, torch.relu(m.smooth(c.past(loud.transpose(1, 2), 2))).transpose(1, 2))
    gains = torch.sigmoid(m.from_bands(torch.relu(m.gains(state)))).transpose(1, 2)
    steps = real.shape[-1]
    taps = torch.tanh(m.taps(state)).transpose(1, 2).reshape(1, m.order, m.low, 2, steps)
    re, im = c.past(real[:, : m.low], m.order - 1), c.past(imaginary[:, : m.low], m.order - 1)
    low_re = sum(taps[:, k, :, 0] * re[..., k : k + steps] - taps[:, k, :, 1] * im[..., k : k + steps] for k in range(m.order))
    low_im = sum(taps[:, k, :, 0] * im[..., k : k + steps] + taps[:, k, :, 1] * re[..., k : k + steps] for k in range(m.order))
    low, gains = m.low, gains[:, m.low :]
    return (m.spectra.backward(torch.cat([low_re, real[:, low:] * gains], 1), torch.cat([low_im, imaginary[:, low:] * gains], 1), c),)


def demucs(m, x, c):
    skips = []
    for layer, reach in zip(m.encoder, (4, 7, 6)):
        x = layer(c.past(x, reach))
        skips.append(x)
    x = c.recurrent(m.lstm, x.permute(2, 0, 1)).permute(1, 2, 0)
    for layer, steps in zip(m.decoder, (0, 6, 31)):
        y = layer[1](layer[0](x + c.late(skips.pop(), steps)))
        # The bias belongs to each sample once.
        bias = layer[2].bias[:, None]
        x = c.overlap(functional.conv_transpose1d(y, layer[2].weight, None, 4), 4) + bias
        x = torch.relu(x) if len(layer) == 4 else x
    return (x,)


def dtln(m, x, c):
    def mask(part, y):
        return torch.sigmoid(part.out(c.recurrent(part.two, c.recurrent(part.one, y))))

    real, imaginary = functional.conv1d(c.past(x, m.window - m.hop), m.waves, stride=m.hop).chunk(2, 1)
    loudness = torch.sqrt(real**2 + imaginary**2 + 1e-9)
    gains = mask(m.mask1, torch.log(loudness + 1e-3).transpose(1, 2)).transpose(1, 2)
    windows = functional.conv1d(torch.cat([real * gains, imaginary * gains], 1), m.back.permute(2, 0, 1))
    y = m.encoder(windows)
    y = m.decoder(y * mask(m.mask2, m.norm(y.transpose(1, 2))).transpose(1, 2))
    sums = functional.conv_transpose1d(y, torch.eye(m.window)[:, None], stride=m.hop)
    return (c.overlap(sums, m.window - m.hop),)


def encodec(m, x, c):
    def walk(layer, y):
        kind = type(layer).__name__
        if kind == "Sequential":
            for part in layer:
                y = walk(part, y)
            return y
        if kind == "CausalConv":
            return layer.conv(c.past(y, layer.reach))
        if kind == "CausalUp":
            conv = layer.conv
            return c.overlap(functional.conv_transpose1d(y, conv.weight, None, conv.stride), layer.rest) + conv.bias[:, None]
        if kind == "Residual":
            return walk(layer.shortcut, y) + walk(layer.block, y)
        if kind == "Memory":
            y = y.permute(2, 0, 1)
            return (c.recurrent(layer.lstm, y) + y).permute(1, 2, 0)
        return layer(y)

    vectors, codes = m.quantiser(walk(m.encoder, x))
    return walk(m.decoder, vectors), codes


def gtcrn(m, x, c):
    def block(b, y):
        by, y = y.chunk(2, 1)
        y = b.two(b.depth(c.past(b.one(b.near(y)), b.reach, 2)))
        loudness = y.pow(2).mean(-1).transpose(1, 2)
        gains = torch.sigmoid(b.attention.out(c.recurrent(b.attention.gru, loudness))).transpose(1, 2)
        return torch.stack([by, y * gains[..., None]], 2).flatten(1, 2)

    def paths(p, y):
        y = y.permute(0, 2, 3, 1)
        batch, steps, bands, channels = y.shape
        z = p.out1(p.within(y.reshape(batch * steps, bands, channels)))
        y = y + p.norm1(z.reshape(batch, steps, bands, channels))
        one, two = y.permute(0, 2, 1, 3).reshape(batch * bands, steps, channels).chunk(2, -1)
        z = p.out2(torch.cat([c.recurrent(p.between.one, one), c.recurrent(p.between.two, two)], -1))
        y = y + p.norm2(z.reshape(batch, bands, steps, channels).permute(0, 2, 1, 3))
        return y.permute(0, 3, 1, 2)

    real, imaginary = x[:, :1], x[:, 1:]
    one = m.down1(m.near(torch.cat([torch.sqrt(real**2 + imaginary**2 + 1e-12), x], 1)))
    y = two = m.down2(one)
    kept = []
    for b in m.encoder:
        y = block(b, y)
        kept.append(y)
    for p in m.middle:
        y = paths(p, y)
    for b in m.decoder:
        y = block(b, y + kept.pop())
    mask = m.up2(m.up1(y + two) + one)
    a, b = mask[:, :1], mask[:, 1:]
    return (torch.cat([real * a - imaginary * b, real * b + imaginary * a], 1),)


def rnnoise(m, x, c):
    real, imaginary = m.spectra.forward(x, c)
    energy = torch.log10((real**2 + imaginary**2).transpose(1, 2) @ m.bands.t() + 1e-2)
    features = torch.tanh(m.first(energy))
    voice = c.recurrent(m.voice, features)
    noise = c.recurrent(m.noise, torch.cat([features, voice, energy], -1))
    gain = c.recurrent(m.gain, torch.cat([voice, noise, energy], -1))
    gains = (torch.sigmoid(m.to_gains(gain)) @ m.bands).transpose(1, 2)
    return m.spectra.backward(real * gains, imaginary * gains, c), torch.sigmoid(m.to_flag(voice))


def speech_encoder(m, x, c):
    def turned(y, places, half):
        angles = torch.outer(places, 1.0 / 10000 ** (torch.arange(half).float() / half))
        cosine, sine = torch.cat((angles, angles), -1).cos(), torch.cat((angles, angles), -1).sin()
        return y * cosine + torch.cat((-y[..., half:], y[..., :half]), -1) * sine

    def attention(b, y):
        batch, steps, size = y.shape
        past, half = b.reach - 1, size // b.heads // 2
        q, k, v = b.qkv(y).view(batch, steps, 3, b.heads, size // b.heads).permute(2, 0, 3, 1, 4).unbind(0)
        k, v = c.past(k, past, 2), c.past(v, past, 2)
        # Only differences of places count, so those of the window do.
        places = torch.arange(past + steps).float()
        back = places[past:, None] - places[None]
        seen = functional.scaled_dot_product_attention(
            turned(q, places[past:], half), turned(k, places, half), v, attn_mask=(back >= 0) & (back < b.reach)
        )
        return b.out(seen.transpose(1, 2).reshape(batch, steps, size))

    real, imaginary = m.spectra.forward(x, c)
    loud = torch.log10(m.to_bands(torch.sqrt(real**2 + imaginary**2).transpose(1, 2)).square() + 1e-2)
    y = m.fewer(loud.transpose(1, 2)).transpose(1, 2)
    for b in m.blocks:
        y = y + attention(b, b.norms[0](y))
        y = y + functional.silu(b.conv(c.past(b.norms[1](y).transpose(1, 2), 4))).transpose(1, 2)
        y = y + b.feed(b.norms[2](y))
    return (y,)


def tc_resnet(m, x, c):
    def conv(layer, y):
        return layer.norm(layer.conv(c.past(y, layer.reach)))

    y = m.first(c.past(x, 2))
    for b in m.blocks:
        y = torch.relu(conv(b.two, torch.relu(conv(b.one, y))) + torch.relu(conv(b.shortcut, y)))
    scores = m.out(functional.avg_pool1d(c.past(y, m.frames - 1), m.frames, 1).transpose(1, 2))
    return torch.softmax(scores, -1), scores.argmax(-1)


def voice_detector(m, x, c):
    real, imaginary = m.spectra.forward(x, c)
    y = torch.sqrt(real**2 + imaginary**2)
    for layer in m.encoder:
        y = torch.relu(layer.conv(c.past(y, 2)))
    return (torch.sigmoid(m.out(torch.relu(c.recurrent(m.memory, y.transpose(1, 2))))),)


class Net(NamedTuple):
    """A network: its class, its step, an example's shape, time steps of the input in a period, in which dimension of the input time is, and of each result; the time
    steps that each result of a step is late, `--latency`, and how many time steps of the input are a second."""

    name: str
    model: str
    step: object
    shape: tuple
    period: int
    time: int
    times: tuple = (2,)
    late: tuple = (0,)
    latency: int = 0
    rate: int = 16000


NETS = {
    net.name: net
    for net in (
        Net("conv_tasnet", "ConvTasNet", conv_tasnet, (1, 1, 160), 8, 2, late=(8,), latency=8, rate=8000),
        Net("deep_filter", "DeepFilter", deep_filter, (1, 4800), 160, 1, (1,), (160,), 320),
        Net("demucs", "Demucs", demucs, (1, 1, 256), 64, 2, late=(128,), latency=84),
        Net("dtln", "DTLN", dtln, (1, 1, 256), 8, 2),
        Net("encodec", "EnCodec", encodec, (1, 1, 160), 16, 2, (2, 2), (0, 0), rate=24000),
        Net("gtcrn", "GTCRN", gtcrn, (1, 2, 40, 33), 1, 2, rate=63),
        Net("rnnoise", "RNNoise", rnnoise, (1, 9600), 480, 1, (1, 1), (480, 0), 960, 48000),
        Net("speech_encoder", "SpeechEncoder", speech_encoder, (1, 20480), 640, 1, (1,)),
        Net("tc_resnet", "TCResNet", tc_resnet, (1, 40, 128), 4, 2, (1, 1), (0, 0), rate=100),
        Net("voice_detector", "VoiceDetector", voice_detector, (1, 8192), 512, 1, (1,)),
    )
}


def make(net):
    """The network, which is always the same."""
    spec = importlib.util.spec_from_file_location(net.name, EXAMPLES / f"{net.name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[net.name] = module
    spec.loader.exec_module(module)
    torch.manual_seed(1)
    return getattr(module, net.model)().eval()


def prepared(net, fast):
    """The same for a step: weights as they are after parametrisations, and spectra of either kind."""
    model = make(net)
    for part in model.modules():
        if parametrize.is_parametrized(part):
            parametrize.remove_parametrizations(part, "weight")
    if hasattr(model, "window") and isinstance(model.window, torch.Tensor):
        model.spectra = Spectra(model.window, model.hop if hasattr(model, "hop") else len(model.window) // 2, fast)
    return model


class Step(nn.Module):
    """A step as a module: the chunk and the states in, the results and the states out."""

    def __init__(self, net, model):
        super().__init__()
        self.step, self.model = net.step, model

    def forward(self, x, *states):
        carry = Carry(states or None)
        found = self.step(self.model, x, carry)
        return (*found, *carry.made)


def chunk_of(net, periods, generator):
    shape = list(net.shape)
    shape[net.time] = net.period * periods
    return torch.randn(shape, generator=generator) * 0.3
