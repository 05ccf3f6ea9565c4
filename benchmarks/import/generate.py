#!/usr/bin/env python3
"""Tokens a second of a decoder that generates, greedily and one sequence after the other, beside PyTorch with a cache of keys and values.

    generate.py [--tokens N] [--context N] [--batch N] [--threads N] [--layers N]

The decoder has the shape of GPT-2 with 124 million parameters (with fewer layers where --layers says so), and random weights; the tokens of both are
compared. Needs the packages of `strc setup torch --all`. strc's time is that of an executable for so many tokens, less that of one token.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
import transformers

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, os.environ.get("STRC_WHEEL") or str(ROOT / "python"))

import strc.torch  # noqa: E402

STRC = os.environ.get("STRC") or str(ROOT / "build/release/bin/strc")


def decoder(layers):
    torch.manual_seed(0)
    config = transformers.GPT2Config(n_layer=layers, bos_token_id=None, eos_token_id=None)
    model = transformers.GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        model.transformer.wpe.weight *= 20  # else a token says itself again and again
    return model


def by_torch(model, prompt, count):
    """The tokens, and seconds for all of them but the first."""
    with torch.no_grad():
        made, cache, start = prompt, None, 0.0
        token = prompt
        for step in range(count):
            result = model(token, past_key_values=cache, use_cache=True)
            cache, token = result.past_key_values, result.logits[:, -1].argmax(1, keepdim=True)
            made = torch.cat([made, token], 1)
            if step == 0:
                start = time.perf_counter()
    return made, time.perf_counter() - start


def by_strc(folder, prompt, count):
    """The tokens, and seconds of a run for them."""
    batch = len(prompt)
    text = " ".join(map(str, [*prompt.T.flatten().tolist(), *[-1] * (batch * count)]))
    start = time.perf_counter()
    done = subprocess.run(
        ["./decoder", "--in-format", "text", "--out-format", "text"], cwd=folder, input=text, capture_output=True, text=True, check=True
    )
    return torch.tensor([int(token) for token in done.stdout.split()]).reshape(-1, batch).T, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("tokens", 100), ("context", 256), ("batch", 1), ("threads", 1), ("layers", 12)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    model = decoder(options.layers)
    prompt = torch.randint(0, 50257, (options.batch, 1))
    with tempfile.TemporaryDirectory(prefix="strc-generate-") as name:
        folder = Path(name)
        start = time.perf_counter()
        strc.torch.export_generator(model, folder / "decoder.str", context=options.context, batch=options.batch)
        imported = time.perf_counter()
        words = [STRC, "build", "-O3", "--workers", str(options.threads), "--external-weights", "--top", "Generate", "-o", "decoder", "decoder.str"]
        subprocess.run(words, cwd=folder, check=True)
        print(f"import {imported - start:.0f} s, build {time.perf_counter() - imported:.0f} s", flush=True)
        by_strc(folder, prompt, 0)  # brings the weights into memory
        alone = by_strc(folder, prompt, 0)[1]
        found, seconds = by_strc(folder, prompt, options.tokens)
    expected, torchs = by_torch(model, prompt, options.tokens)
    same = "the same tokens" if torch.equal(found, expected) else f"{int((found != expected).sum())} of {found.numel()} tokens are different"
    print(f"tokens a second: strc {options.batch * options.tokens / (seconds - alone):.1f}, PyTorch {options.batch * (options.tokens - 1) / torchs:.1f}; {same}")


main()
