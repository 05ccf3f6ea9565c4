"""The spotter's network, how it was trained, and how the program was made of it.

    python examples/keyword_stream/model.py      (a Python with PyTorch; writes spotter.str and spotter.safetensors here)
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from make_input import RATE, WORDS, spoken  # noqa: E402

HOP = 256  # samples of a frame: two layers go on by 32 and 8


class Spotter(nn.Module):
    """Two convolutions make a frame of 256 samples, a recurrent layer remembers, and each frame says which word it hears."""

    def __init__(self):
        super().__init__()
        self.bands = nn.Conv1d(1, 16, 64, stride=32)
        self.frames = nn.Conv1d(16, 16, 8, stride=8)
        self.gru = nn.GRU(16, 16, batch_first=True)
        self.words = nn.Linear(16, 1 + len(WORDS))

    def forward(self, x):
        x = torch.relu(self.bands(functional.pad(x, (32, 0))))
        x = torch.relu(self.frames(x)).transpose(1, 2)
        return torch.softmax(self.words(self.gru(x)[0]), -1)


def sentences(count, frames=24):
    """Sounds with a word somewhere, and for each frame the word that has just been there (0: none)."""
    sounds, targets = [], torch.zeros(count, frames, dtype=torch.long)
    for row in range(count):
        sound = 0.02 * torch.randn(frames * HOP)
        word = int(torch.randint(0, 1 + len(WORDS), ()))
        at = int(torch.randint(0, 10, ()))
        if word:
            voice = torch.tensor(spoken(WORDS[word - 1], 0.8 + 0.4 * float(torch.rand(()))))
            sound[at * HOP : at * HOP + len(voice)] += voice
            end = at + -(-len(voice) // HOP)
            targets[row, end - 1 : end + 3] = word
        sounds.append(sound)
    return torch.stack(sounds).unsqueeze(1), targets


def trained(steps=200):
    torch.manual_seed(1)
    model = Spotter()
    optimiser = torch.optim.Adam(model.parameters(), 0.01)
    weights = torch.tensor([0.3, 1.0, 1.0, 1.0])
    for _ in range(steps):
        x, targets = sentences(16)
        loss = functional.nll_loss(torch.log(model(x) + 1e-6).flatten(0, 1), targets.flatten(), weights)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss {loss.item():.5f}", file=sys.stderr)
    return model.eval()


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1] / "python"))
    import strc.torch

    title = "Made by examples/keyword_stream/model.py"
    strc.torch.export(trained(), [sentences(1, 20)[0]], HERE / "spotter.str", streaming=True, title=title)
