"""Models of many shapes over time, in the ways in which people write them: each with examples of its inputs, and the arguments of the export."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


class Using(nn.Module):
    """A function of some modules, by name, and the inputs."""

    def __init__(self, function, **modules):
        super().__init__()
        self.function = function
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, *inputs):
        return self.function(self, *inputs)


CASES = {}


def case(*shapes, **options):
    """A function that makes a model becomes a case of its own name."""

    def enter(make):
        CASES[make.__name__] = (make, shapes, options)
        return make

    return enter


# ---- several inputs and results, of different rates


@case((1, 1, 160), (1, 3, 20))
def controls():
    """Samples, and controls of which there is one for 8 samples; a loudness for every 4 of them besides the sound."""

    def run(model, x, controls):
        gains = model.gains(functional.pad(controls, (1, 0)))
        y = torch.tanh(model.conv(functional.pad(x, (4, 0)))) * gains.repeat_interleave(8, -1)
        return model.out(y), functional.avg_pool1d(y.abs(), 4)

    return Using(run, gains=nn.Conv1d(3, 2, 2), conv=nn.Conv1d(1, 2, 5), out=nn.Conv1d(2, 1, 1))


@case((1, 1, 60), (1, 40, 1))
def rates_without_whole_factor():
    """Three samples for two frames of another kind; each goes its own way."""
    return Using(lambda model, x, y: (model.conv(functional.pad(x, (2, 0))), model.gru(y)[0]), conv=nn.Conv1d(1, 2, 3), gru=nn.GRU(1, 2, batch_first=True))


# ---- transposed convolutions and other ways to more frames


@case((1, 2, 20))
def transposed():
    return Using(lambda model, x: model.up(x)[..., :-4], up=nn.ConvTranspose1d(2, 3, 8, 4))


@case((1, 2, 20))
def transposed_in_groups():
    return Using(lambda model, x: model.up(x)[..., :-5], up=nn.ConvTranspose1d(2, 4, 4, 3, dilation=2, groups=2, output_padding=1))


@case((1, 2, 20), latency=1)
def transposed_with_padding():
    """Cut off on both sides: a later frame adds to what is left of the last ones."""
    return Using(lambda model, x: model.up(x), up=nn.ConvTranspose1d(2, 3, 4, 2, padding=1, bias=False))


@case((1, 1, 96))
def auto_encoder():
    def run(model, x):
        y = torch.tanh(model.down(functional.pad(x, (4, 0))))
        return model.up(y)[..., :-4]

    return Using(run, down=nn.Conv1d(1, 6, 8, 4), up=nn.ConvTranspose1d(6, 1, 8, 4))


@case((1, 1, 100), latency=4)
def windows_without_padding():
    """An encoder and decoder of learned windows: the first samples are in one window, the others in two."""
    return Using(lambda model, x: model.up(torch.relu(model.down(x))), down=nn.Conv1d(1, 6, 8, 4), up=nn.ConvTranspose1d(6, 1, 8, 4))


@case((1, 1, 80))
def u_net():
    """Values of three rates go by each other."""

    def run(model, x):
        a = torch.tanh(model.down1(functional.pad(x, (2, 0))))
        b = torch.tanh(model.down2(functional.pad(a, (2, 0))))
        c = torch.tanh(model.up2(b)[..., :-2]) + a
        return model.up1(c)[..., :-2] + x

    down = dict(down1=nn.Conv1d(1, 3, 4, 2), down2=nn.Conv1d(3, 5, 4, 2))
    return Using(run, **down, up2=nn.ConvTranspose1d(5, 3, 4, 2), up1=nn.ConvTranspose1d(3, 1, 4, 2))


@case((1, 2, 24))
def nearest():
    return Using(lambda model, x: model.conv(functional.pad(functional.interpolate(x, scale_factor=4), (3, 0))), conv=nn.Conv1d(2, 2, 4))


@case((1, 2, 24), latency=1)
def linear():
    return Using(lambda model, x: functional.interpolate(x, scale_factor=3, mode="linear") + 0 * model.conv(x).repeat_interleave(3, -1), conv=nn.Conv1d(2, 2, 1))


@case((1, 8, 20))
def pixel_shuffle():
    """Channels become time steps."""

    def run(model, x):
        y = model.conv(functional.pad(x, (1, 0)))
        return y.reshape(1, 4, 2, -1).permute(0, 2, 3, 1).reshape(1, 2, -1).tanh()

    return Using(run, conv=nn.Conv1d(8, 8, 2))


@case((1, 2, 48))
def blocks_of_samples():
    """Time steps become channels, and those time steps again."""

    def run(model, x):
        blocks = x.reshape(1, 2, -1, 4).permute(0, 1, 3, 2).reshape(1, 8, -1)
        y = model.conv(functional.pad(blocks, (1, 0)))
        return torch.stack([y[:, :3], y[:, 3:]], -1).flatten(2)

    return Using(run, conv=nn.Conv1d(8, 6, 2))


@case((1, 2, 40))
def windows_by_hand():
    """Windows that overlap, weighed, and added again."""

    def run(model, x):
        windows = functional.pad(x, (2, 0)).unfold(-1, 4, 2) * model.window
        columns = model.mix(windows).permute(0, 1, 3, 2).reshape(1, 8, -1)
        count = 2 * columns.shape[2] + 2
        return functional.fold(columns, (1, count), (1, 4), stride=(1, 2)).squeeze(2)[..., :-2]

    model = Using(run, mix=nn.Linear(4, 4))
    model.window = nn.Parameter(torch.randn(4))
    return model


@case((1, 2, 20))
def columns():
    """`unfold` of a picture with one row, as convolutions are written by hand."""
    return Using(lambda model, x: model.mix(functional.unfold(functional.pad(x, (4, 0)).unsqueeze(2), (1, 3), dilation=(1, 2)).transpose(1, 2)), mix=nn.Linear(6, 3))


# ---- time and frequency


@case((1, 2, 20, 9))
def pictures():
    """Strides along the bands, and dilation along time."""

    def run(model, x):
        y = torch.relu(model.norm(model.one(functional.pad(x, (1, 1, 2, 0)))))
        return model.two(functional.pad(y, (0, 0, 4, 0)))

    one = nn.Conv2d(2, 4, (3, 3), stride=(1, 2), groups=2)
    return Using(run, one=one, norm=nn.BatchNorm2d(4), two=nn.Conv2d(4, 2, (3, 5), padding=(0, 2), dilation=(2, 1)))


@case((2, 2, 9, 24))
def pictures_with_time_last():
    """Two sequences side by side, and every second frame."""
    return Using(lambda model, x: torch.relu(model.conv(functional.pad(x, (2, 0)))), conv=nn.Conv2d(2, 4, (5, 3), (1, 2), padding=(2, 0)))


@case((1, 2, 20, 9))
def transposed_along_bands():
    up = dict(one=nn.ConvTranspose2d(2, 4, (1, 3), (1, 2), (0, 1), groups=2), two=nn.ConvTranspose2d(4, 2, (3, 3), (1, 2), (0, 1), (0, 1)))
    return Using(lambda model, x: model.two(torch.relu(model.one(x)))[:, :, :-2], **up)


@case((1, 2, 6, 20))
def transposed_along_both():
    return Using(lambda model, x: model.up(x)[..., :-2], up=nn.ConvTranspose2d(2, 3, (4, 4), (2, 2), (1, 0), dilation=(2, 1)))


@case((1, 2, 20, 8))
def pools_of_bands():
    def run(model, x):
        y = functional.avg_pool2d(x, (1, 2)) + functional.max_pool2d(functional.pad(x, (0, 0, 2, 0)), (3, 2), stride=(1, 2))
        return functional.interpolate(y, scale_factor=(1, 2))

    return Using(run)


@case((1, 3, 20, 8), time=2)
def ends_of_bands():
    """Padding inside of a frame."""

    def run(model, x):
        y = functional.pad(x, (2, 1, 0, 0), mode="reflect") + functional.pad(x, (1, 2, 0, 0), mode="replicate")
        return torch.cat([y[..., :3].flip(-1), y[..., 5:], torch.zeros_like(y[..., :1])], -1)

    return Using(run)


@case((1, 9, 30))
def windows_of_bands():
    """Each band with its neighbours, as `unfold` makes them, and some bands by their places."""

    def run(model, x):
        y = functional.pad(x.unsqueeze(1), (0, 0, 2, 2), mode="reflect").squeeze(1).unfold(1, 5, 1)
        return torch.cumsum(y.permute(0, 1, 3, 2).flatten(1, 2) + x[:, [3, 0, 0]].mean(1, keepdim=True), -1)

    return Using(run)


@case((1, 3, 20, 8))
def means_of_bands():
    """An adaptive pool that leaves time as it is."""
    return Using(lambda model, x: functional.adaptive_avg_pool2d(model.conv(functional.pad(x, (0, 0, 1, 0))), (None, 4)), conv=nn.Conv2d(3, 2, (2, 1)))


@case((1, 4, 20, 6), time=2)
def norms_of_frames():
    """Over the channels and bands of each time step."""

    def run(model, x):
        y = x.permute(0, 2, 1, 3).reshape(-1, 4, 6)
        y = model.group(y) + functional.group_norm(y, 4)
        return functional.normalize(y.reshape(1, -1, 4, 6).permute(0, 2, 1, 3), dim=1)

    return Using(run, group=nn.GroupNorm(2, 4))


@case((1, 20, 6, 8), time=1)
def attention_of_bands():
    def run(model, x):
        y = x.reshape(-1, 6, 8)
        y = model.attention(y, y, y, need_weights=False)[0].reshape(1, -1, 6, 8)
        return x + torch.softmax(y @ y.transpose(-1, -2), -1) @ y

    return Using(run, attention=nn.MultiheadAttention(8, 2, batch_first=True))


def dual_path():
    """A recurrent layer over the bands of a frame, in both directions, and one over time for each band."""

    def run(model, x):
        batch, channels, steps, bands = x.shape
        y = x.permute(0, 2, 3, 1).reshape(batch * steps, bands, channels)
        y = model.norm(model.out1(model.within(y)[0]).reshape(batch, steps, bands, channels))
        x = x.permute(0, 2, 3, 1) + y
        z = x.permute(0, 2, 1, 3).reshape(batch * bands, steps, channels)
        z = model.out2(model.between(z)[0]).reshape(batch, bands, steps, channels).permute(0, 2, 1, 3)
        return (x + z).permute(0, 3, 1, 2)

    within, between = nn.GRU(4, 3, batch_first=True, bidirectional=True), nn.LSTM(4, 5, batch_first=True)
    return Using(run, within=within, out1=nn.Linear(6, 4), norm=nn.LayerNorm(4), between=between, out2=nn.Linear(5, 4))


CASES["dual_path"] = (dual_path, ((1, 4, 20, 6),), {"time": 2})
CASES["dual_path_of_two"] = (dual_path, ((2, 4, 20, 6),), {"time": 2})


@case((1, 20, 6), time=1)
def groups_of_layers():
    """A grouped recurrent layer, whose groups are mixed."""

    def run(model, x):
        y = torch.cat([layer(part)[0] for layer, part in zip((model.one, model.two), x.chunk(2, -1))], -1)
        return y.reshape(1, -1, 2, 3).transpose(2, 3).reshape(1, -1, 6)

    return Using(run, one=nn.GRU(3, 3, batch_first=True), two=nn.RNN(3, 3, batch_first=True))


@case((1, 20, 6), time=1)
def parts_in_place():
    """Numbers of a frame that are put in place of others."""

    def run(model, x):
        y = torch.zeros_like(x)
        y[..., :2] = x[..., 4:]
        y[..., 2:] = y[..., :1] + x[..., :4].tanh()
        return y.cumsum(1)

    return Using(run)


# ---- choices, tables, batches


@case((1, 1, 9, 20))
def neighbours_of_bands():
    """Each band with those around it: windows over bands, and over all of time."""

    def run(model, x):
        steps = x.shape[-1]
        padded = functional.pad(x, (0, 0, 2, 2), mode="reflect")
        around = functional.unfold(padded, (5, steps)).reshape(1, 1, 5, steps, 9).permute(0, 4, 1, 2, 3)
        return around.reshape(1, 45, steps).cumsum(-1)

    return Using(run)


@case((1, 3, 20))
def quantiser():
    """Two tables, of which the second one has what the first one leaves."""

    def run(model, x):
        rest, total, numbers = x.transpose(1, 2), 0, []
        for table in (model.one, model.two):
            far = rest.pow(2).sum(-1, keepdim=True) - 2 * rest @ table.weight.t() + table.weight.pow(2).sum(-1)
            nearest = far.argmin(-1)
            rest, total = rest - table(nearest), total + table(nearest)
            numbers.append(nearest)
        return total.transpose(1, 2), torch.stack(numbers, 1)

    return Using(run, one=nn.Embedding(8, 3), two=nn.Embedding(8, 3))


@case((1, 5, 20))
def nearest_entry():
    def run(model, x):
        distances = ((x.transpose(1, 2)[:, :, None] - model.entries) ** 2).sum(-1)
        found = model.entries[distances.argmin(-1)].transpose(1, 2)
        return x + (found - x).detach()

    model = Using(run)
    model.register_buffer("entries", torch.randn(16, 5))
    return model


@case((1, 5, 20))
def choices():
    def run(model, x):
        loud = (x > 0.5) & (x.abs() < 2) | ~(x >= -1)
        y = torch.where(loud, x, x * 0.1).masked_fill(x < -1.5, 0.25) + torch.where(x > 0, 1.0, 0.5)
        return y.clamp(-1, 1.2) + x.clamp(min=0) + torch.sign(x) * torch.trunc(3 * x) + torch.round(x) + model.mask.where(x > 0, x) + torch.fmod(x, x.abs() + 1) + torch.asinh(x)

    model = Using(run)
    model.register_buffer("mask", torch.randn(5, 1))
    return model


@case((3, 2, 40))
def batch_of_convolutions():
    return Using(lambda model, x: torch.tanh(model.conv(functional.pad(x, (2, 0)))), conv=nn.Conv1d(2, 4, 3, groups=2))


@case((3, 40, 2))
def batch_of_layers():
    return Using(lambda model, x: model.gru(x)[0], gru=nn.GRU(2, 4, 2, batch_first=True))


@case((3, 6, 40))
def batch_of_attention():
    """Attention among six sensors at each time step, of three sequences: batch and time are one dimension meanwhile."""

    def run(model, x):
        y = model.conv(functional.pad(x, (4, 0)))
        batch, _, steps = y.shape
        y = y.view(batch, 6, 4, steps).permute(0, 3, 1, 2).reshape(batch * steps, 6, 4)
        return model.gru((y + model.attention(y, y, y)[0]).reshape(batch, steps, 24))[0]

    attention = nn.MultiheadAttention(4, 2, batch_first=True)
    return Using(run, conv=nn.Conv1d(6, 24, 5, 2, groups=6), attention=attention, gru=nn.GRU(24, 3, batch_first=True))


@case((40, 3, 2))
def batch_in_the_middle():
    return Using(lambda model, x: model.lstm(x)[0], lstm=nn.LSTM(2, 4))


@case((1, 2, 40))
def parametrised():
    """Weight norm, both ways to write it, spectral norm, and dropout that does nothing."""
    one, two = nn.utils.parametrizations.weight_norm(nn.Conv1d(2, 3, 3)), nn.utils.parametrizations.spectral_norm(nn.Conv1d(3, 2, 3))
    return Using(lambda model, x: model.two(model.drop(model.one(functional.pad(x, (4, 0))))), one=one, two=two, drop=nn.Dropout(0.5))


@case((1, 2, 40))
def layers_of_one_name():
    """Two products in one frame, whose modules have the same name in different modules."""

    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(2, 2, 1)

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = Inner(), Inner()

        def forward(self, x):
            return torch.tanh(self.one.conv(torch.tanh(x))) + self.two.conv(torch.sigmoid(x))

    return Using(lambda model, x: model.last(functional.pad(model.outer(x), (1, 0))), outer=Outer(), last=nn.Conv1d(2, 1, 2))


@case((1, 20))
def tokens():
    """Whole numbers come as floats."""
    return Using(lambda model, x: model.gru(model.table((x * 4).long().abs().clamp(0, 7)))[0], table=nn.Embedding(8, 3), gru=nn.GRU(3, 4, batch_first=True))


@case((1, 3, 20, 4), time=2)
def moved_dimensions():
    """Turns of all dimensions, parts of some, and sizes of one that become larger."""

    def run(model, x):
        y = x.permute(2, 3, 1, 0).permute(3, 1, 0, 2)  # 1, 4, T, 3
        y = torch.cat([y[:, ::2], y[:, 1:2].expand(1, 2, -1, 3)], 1) * y[:, :, :, 1:2]
        return y.transpose(1, 3) + x[:, 2][:, None] * x[:, :, :, :1].amax(1, keepdim=True)

    return Using(run)
