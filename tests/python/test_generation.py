"""Decoders that generate: tokens equal those of transformers, sampling a reference in NumPy."""

import subprocess
import sys

import numpy
import pytest
import torch
from support import STRC
from test_run import assert_close
from torch import nn
from transformers_models import DECODER, WORDS, bart, bert_pooled, gemma2, gpt2, llama, made, mistral, qwen3, t5, transformers, whisper, words

import strc.torch
from strc.errors import ImportFailure
from strc.importer import command
from strc.torch.generation.attention import Attention, attending
from strc.torch.generation.steps import Step

def gpt_oss():
    """Experts, and an attention with sinks, of every other layer to the last five tokens."""
    sizes = {**DECODER, "head_dim": 16, "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 5, "pad_token_id": None, "tie_word_embeddings": False}
    return transformers.GptOssForCausalLM(transformers.GptOssConfig(**sizes, layer_types=["sliding_attention", "full_attention"])), [words()]


DECODERS = {"gpt-oss": gpt_oss, "gpt2": gpt2, "gpt2, scaled by layer": lambda: gpt2(scale_attn_by_inverse_layer_idx=True), "llama": llama, "qwen3": qwen3, "mistral": mistral, "gemma2": lambda: gemma2(tie_word_embeddings=False)}
WITH_ENCODER = {"t5": t5, "whisper": whisper, "bart": bart}
SAMPLING = [(1, 0, 1, 0), (0.7, 5, 1, 3), (1.3, 0, 0.6, 4), (1, 10, 0.9, -5), (0.5, 1, 1, 1), (2, 1000, 0.01, 2)]


def lively(make):
    """A decoder whose choice depends on its input: scores are far apart, and the layers are heard beside the last token."""
    model, _ = made(make)
    with torch.no_grad():
        for layer in model.modules():
            if isinstance(layer, (nn.Linear, transformers.pytorch_utils.Conv1D)):
                layer.weight *= 2
        if isinstance(model, transformers.GPT2LMHeadModel):
            model.transformer.wpe.weight *= 12
        else:
            model.get_output_embeddings().weight *= 3
    return model


def lively_pair(make):
    """A model with an encoder that says something else for another input; it begins anew, and its scores are left as they are, by its configuration."""
    named, (example, _) = made(lambda: make(tie_word_embeddings=False))
    model = named.model
    with torch.no_grad():
        for layer in model.modules():
            if isinstance(layer, nn.Linear):
                layer.weight *= 1.5
        if isinstance(model, transformers.WhisperForConditionalGeneration):
            model.model.encoder.embed_positions.weight *= 0.02
            model.model.decoder.embed_positions.weight *= 4
    for name in ("eos_token_id", "suppress_tokens", "begin_suppress_tokens"):
        setattr(model.generation_config, name, None)
    return model, example


def items_like(example, batch):
    """Two inputs of a batch each."""
    shape = (2, batch, *example.shape[1:])
    return torch.randn(shape) if example.is_floating_point() else torch.randint(3, WORDS, shape)


def said(model, given, steps, **options):
    """What transformers generates; models such as Whisper do more to long recordings."""
    return transformers.GenerationMixin.generate(model, given, max_length=steps, do_sample=False, **options)


def answers(folder, items, steps, *options):
    """What the program gives for inputs one after the other: inputs x batch x steps."""
    numpy.save(folder / "given.npy", items.numpy())
    line = [STRC, "run", "--top", "Generate", "--in", "given.npy", "--out-format", "text", *options, "model.str"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return torch.tensor([int(token) for token in done.stdout.split()]).reshape(len(items), steps, -1).transpose(1, 2)


def run(folder, tokens, *options):
    """What the program gives for tokens (batch x steps)."""
    text = " ".join(str(int(token)) for column in tokens.T for token in column)
    words = [STRC, "run", "--top", "Generate", "--in-format", "text", "--out-format", "text", *options, "model.str"]
    done = subprocess.run(words, cwd=folder, input=text, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return torch.tensor([int(token) for token in done.stdout.split()]).reshape(-1, len(tokens)).T


def open_end(prompt, count):
    """A prompt, and then what the model says."""
    return torch.cat([prompt, torch.full((len(prompt), count), -1)], 1)


def mixed(x):
    """The filter's hash of 32 bits."""
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B), (16, 1)):
        x = ((x ^ x >> shift) * factor) & 0xFFFFFFFF
    return x


def sample(scores, number, temperature, top_k, top_p, seed):
    """The token of number `number` for a row of scores."""
    weights = numpy.exp((scores.astype("f8") - scores.max()) / temperature)
    if 0 < top_k < len(scores):
        weights[scores < numpy.sort(scores)[-top_k]] = 0
    if top_p < 1:
        order = numpy.argsort(-scores, kind="stable")
        last = numpy.searchsorted(numpy.cumsum(weights[order]), numpy.float32(top_p) * weights.sum())
        weights[scores < scores[order][last]] = 0
    drawn = mixed(mixed(seed & 0xFFFFFFFF) ^ number) ^ 0x80000000
    sums = numpy.cumsum(weights)
    return int(numpy.searchsorted(sums, drawn / 2**32 * sums[-1], side="right"))


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("name", DECODERS)
def test_greedy_tokens_are_those_of_generate(name, batch, tmp_path):
    model, prompt = lively(DECODERS[name]), words(4, batch)
    strc.torch.export_generator(model, tmp_path / "model.str", context=32, batch=batch)
    expected = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=20, do_sample=False)
    assert len(expected[:, 4:].unique()) > 4
    found = run(tmp_path, open_end(prompt, 20))
    assert torch.equal(found, expected)


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("name", WITH_ENCODER)
def test_an_encoder_is_run_once_for_each_input(name, batch, tmp_path):
    """The decoder begins anew for the second one."""
    model, example = lively_pair(WITH_ENCODER[name])
    items = items_like(example, batch)
    strc.torch.export_generator(model, tmp_path / "model.str", context=16, example=items[0])
    expected = torch.stack([said(model, given, 16) for given in items])
    assert len(expected.unique()) > 3 and not torch.equal(expected[0], expected[1])
    assert torch.equal(answers(tmp_path, items, 16), expected)


@pytest.mark.parametrize("engine", [["-O0"], ["--interpret"]], ids=" ".join)
def test_engines_say_the_same_with_an_encoder(engine, tmp_path):
    model, example = lively_pair(t5)
    items = items_like(example, 2)
    strc.torch.export_generator(model, tmp_path / "model.str", context=6, example=items[0])
    assert torch.equal(answers(tmp_path, items, 6, *engine), torch.stack([said(model, given, 6) for given in items]))


def test_a_prompt_behind_an_encoder(tmp_path):
    model, example = lively_pair(whisper)
    items = items_like(example, 1)
    strc.torch.export_generator(model, tmp_path / "model.str", context=12, example=items[0], prompt=[1, 7, 9])
    first = torch.tensor([[1, 7, 9]])
    assert torch.equal(answers(tmp_path, items, 12), torch.stack([said(model, given, 12, decoder_input_ids=first) for given in items]))


def asking(model, **wishes):
    for name, wish in wishes.items():
        setattr(model.generation_config, name, wish)
    return model


@pytest.mark.parametrize("prompt", [None, [1, 7, 9]], ids=["one", "three"])
def test_tokens_that_are_not_said(prompt, tmp_path):
    """Some never, some not as the first one behind the prompt, and at the end one that has to be. A configuration may name tokens that there are not."""
    model, example = lively_pair(whisper)
    given, first = items_like(example, 2), prompt and {"decoder_input_ids": torch.tensor([prompt] * 2)}
    free = said(model, given[0], 10, **(first or {}))
    begin = len(prompt or [1])
    asking(model, suppress_tokens=[int(free[0, begin + 2]), 500], begin_suppress_tokens=free[:, begin].tolist(), forced_eos_token_id=5)
    strc.torch.export_generator(model, tmp_path / "model.str", context=10, example=given[0], prompt=prompt or ())
    expected = torch.stack([said(model, one, 10, **(first or {})) for one in given])
    assert not torch.equal(expected[0], free) and (expected[..., -1] == 5).all()
    assert torch.equal(answers(tmp_path, given, 10), expected)


@pytest.mark.parametrize("name", ["gpt2", "t5"])
def test_tokens_that_count_less_each_time(name, tmp_path):
    if name == "t5":
        model, example = lively_pair(t5)
        given = items_like(example, 2)
        free = said(model, given[0], 12)
        asking(model, repetition_penalty=1.7)
        strc.torch.export_generator(model, tmp_path / "model.str", context=12, example=given[0])
        expected, found = torch.stack([said(model, one, 12) for one in given]), answers(tmp_path, given, 12)
        assert not torch.equal(expected[0], free)
    else:
        model, prompt = lively(gpt2), words(4, 2)
        how = {"attention_mask": torch.ones_like(prompt), "max_new_tokens": 20, "do_sample": False}
        free = model.generate(prompt, **how)
        asking(model, repetition_penalty=1.7)
        strc.torch.export_generator(model, tmp_path / "model.str", context=32, batch=2)
        expected, found = model.generate(prompt, **how), run(tmp_path, open_end(prompt, 20))
        assert not torch.equal(expected, free)
    assert torch.equal(found, expected)


@pytest.mark.parametrize("wish", [{"num_beams": 4}, {"no_repeat_ngram_size": 3}, {"min_length": 5}, {"forced_eos_token_id": 2}, {"bad_words_ids": [[3, 4]]}], ids=lambda wish: next(iter(wish)))
def test_what_is_not_done_to_scores(wish, tmp_path):
    (name,) = wish
    message = "at the begin or the end of a text" if name == "forced_eos_token_id" else f"asks for {name}=.* leaves it out"
    with pytest.raises(ImportFailure, match=message):
        strc.torch.export_generator(asking(lively(gpt2), **wish), tmp_path / "model.str", context=8)


def test_an_end(tmp_path):
    """Behind a chosen stop there is nothing else, for each sequence on its own, until a token is given."""
    model, prompt = lively(llama), words(3, 4)
    free = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=12, do_sample=False)
    stop = int(free[0, 6])
    strc.torch.export_generator(model, tmp_path / "model.str", context=32, batch=4, stop=stop)
    ended = {"eos_token_id": stop, "pad_token_id": stop, "attention_mask": torch.ones_like(prompt), "do_sample": False}
    expected = model.generate(prompt, max_new_tokens=12, **ended)
    found = run(tmp_path, torch.cat([open_end(prompt, 12), words(1, 4), torch.full((4, 3), -1)], 1))
    width = expected.shape[1]
    assert torch.equal(found[:, :width], expected) and bool((found[:, width:15] == stop).all())
    assert (free[:, 3:] != stop).any() and not bool((found[:, 16:] == stop).all())


def test_a_stop_that_is_given_ends_nothing(tmp_path):
    model, prompt = lively(llama), words(3)
    expected = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=6, do_sample=False)
    assert int(expected[0, 3]) != int(prompt[0, -1])
    strc.torch.export_generator(model, tmp_path / "model.str", context=32, stop=int(prompt[0, -1]))
    assert run(tmp_path, open_end(prompt, 1))[0, 3] == expected[0, 3]


def test_an_end_behind_an_encoder(tmp_path):
    model, example = lively_pair(bart)
    items = items_like(example, 1)
    free = [said(model, given, 14)[0] for given in items]
    stop = int(free[0][5])
    strc.torch.export_generator(model, tmp_path / "model.str", context=14, example=items[0], stop=stop)
    for one, given in zip(answers(tmp_path, items, 14), items):
        expected = said(model, given, 14, eos_token_id=stop, pad_token_id=stop)[0]
        assert torch.equal(one[0, : len(expected)], expected) and bool((one[0, len(expected) :] == stop).all())


def test_prompts_of_several_lengths(tmp_path):
    """Each sequence begins to speak when its own prompt is over."""
    model, prompts = lively(llama), [words(2)[0], words(5)[0]]
    strc.torch.export_generator(model, tmp_path / "model.str", context=32, batch=2)
    found = run(tmp_path, torch.nn.utils.rnn.pad_sequence([torch.cat([p, torch.full((12 - len(p),), -1)]) for p in prompts], batch_first=True))
    for one, prompt in zip(found, prompts):
        ones = torch.ones(1, len(prompt), dtype=torch.long)
        assert torch.equal(one, model.generate(prompt[None], attention_mask=ones, max_new_tokens=12 - len(prompt), do_sample=False)[0])


def run_ring(engine, folder):
    """What the program in ring.str makes of steps.npy."""
    words = [STRC, "run", *engine, "--top", "Ring", "--in", "steps.npy", "--out", "made.npy", "ring.str"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return numpy.load(folder / "made.npy")


def test_a_ring_forgets(tmp_path):
    """Behind the context the model attends to the last tokens alone, as under a mask with a band."""
    model, context, tokens = lively(llama), 5, words(20)
    strc.torch.export_generator(model, tmp_path / "model.str", context=context)
    far = torch.arange(20)[:, None] - torch.arange(20)[None]
    mask = torch.where((far >= 0) & (far < context), 0.0, torch.finfo(torch.float32).min)[None, None]
    with torch.no_grad():
        expected = model(tokens, attention_mask=mask).logits.argmax(2)[0]
    for known in (6, 13, 19):
        found = run(tmp_path, open_end(tokens[:, :known], 1))
        assert found[0, -1] == expected[known - 1]


def test_scores_step_by_step():
    """The step that is kept in rings gives the scores of the whole sequence."""
    model, tokens = lively(gpt2), words(9, 2)
    attention, step = Attention(16), Step(model)
    attention.kept = {}
    with torch.no_grad():
        expected = model(tokens).logits
        with attending(model, attention):
            for place in range(9):
                assert_close(step(tokens[:, place], torch.tensor([[place]]))[0], expected[:, place])


@pytest.mark.parametrize("engine", [[], ["-O0"], ["--interpret"]], ids=" ".join)
def test_attention_in_a_ring(engine, tmp_path):
    """Twelve steps of a ring of five, with heads that share keys and values."""
    steps = torch.randn(12, 2, 8, 1, 8)  # four queries, two keys, two values
    numpy.save(tmp_path / "steps.npy", steps.numpy())
    (tmp_path / "ring.str").write_text(
        "tensor<float>[2, 8, 1, 8]->tensor pipeline Ring { add split({4, 2, 2}, 1); add cachedattention(2, 4, 2, 8, 5, scale = 0.3); }\n"
    )
    for last, found in enumerate(run_ring(engine, tmp_path)):
        keys, values = (torch.cat([*steps[max(0, last - 4) : last + 1, :, part]], 2) for part in (slice(4, 6), slice(6, 8)))
        expected = nn.functional.scaled_dot_product_attention(steps[last, :, :4], keys, values, scale=0.3, enable_gqa=True)
        assert_close(torch.from_numpy(found), expected)


@pytest.mark.parametrize("engine", [[], ["-O0"], ["--interpret"]], ids=" ".join)
def test_a_ring_that_is_biased_and_begins_anew(engine, tmp_path):
    """Eleven steps of a ring of five, of which eight belong together, with capped scores and what is added by how far back a step is."""
    steps, bias = torch.randn(11, 2, 8, 1, 8), torch.randn(1, 4, 1, 5)
    numpy.save(tmp_path / "steps.npy", steps.numpy())
    numbers = ", ".join(map(str, bias.flatten().tolist()))
    (tmp_path / "ring.str").write_text(
        f"void->tensor filter Bias {{ work push 1 {{ float[20] numbers = {{{numbers}}}; tensor bias = numbers; push(reshape(bias, 1, 4, 1, 5)); }} }}\n"
        "tensor<float>[2, 8, 1, 8]->tensor pipeline Ring {\n    add split({4, 2, 2}, 1);\n"
        "    add splitjoin { split roundrobin(3, 0); add Identity<tensor>(); add Bias(); join roundrobin(3, 1); }\n"
        "    add cachedattention(2, 4, 2, 8, 5, softcap = 0.7, biased = true, restart = 8);\n}\n"
    )
    for last, found in enumerate(run_ring(engine, tmp_path)):
        first = max(last - 4, last // 8 * 8)
        keys, values = (torch.cat([*steps[first : last + 1, :, part]], 2).repeat_interleave(2, 1) for part in (slice(4, 6), slice(6, 8)))
        scores = 0.7 * torch.tanh(steps[last, :, :4] @ keys.transpose(2, 3) / 8**0.5 / 0.7) + bias[..., 4 - last + first :]
        assert_close(torch.from_numpy(found), scores.softmax(3) @ values)


@pytest.mark.parametrize("engine", [[], ["-O0"], ["--interpret"]], ids=" ".join)
def test_a_ring_with_sinks(engine, tmp_path):
    """A score for each of four heads is in the softmax, and what it gets is lost."""
    steps, sinks = torch.randn(7, 2, 8, 1, 8), torch.tensor([2.0, -1.0, 0.5, 3.0])
    numpy.save(tmp_path / "steps.npy", steps.numpy())
    (tmp_path / "ring.str").write_text(
        "void->tensor filter Sinks { work push 1 { float[4] numbers = {2, -1, 0.5, 3}; push(numbers); } }\n"
        "tensor<float>[2, 8, 1, 8]->tensor pipeline Ring {\n    add split({4, 2, 2}, 1);\n"
        "    add splitjoin { split roundrobin(3, 0); add Identity<tensor>(); add Sinks(); join roundrobin(3, 1); }\n"
        "    add cachedattention(2, 4, 2, 8, 5, sinks = true);\n}\n"
    )
    for last, found in enumerate(run_ring(engine, tmp_path)):
        keys, values = (torch.cat([*steps[max(0, last - 4) : last + 1, :, part]], 2).repeat_interleave(2, 1) for part in (slice(4, 6), slice(6, 8)))
        scores = torch.exp(steps[last, :, :4] @ keys.transpose(2, 3) / 8**0.5)
        assert_close(torch.from_numpy(found), scores / (scores.sum(3, keepdim=True) + sinks.exp()[:, None, None]) @ values)


@pytest.mark.parametrize("options", SAMPLING, ids=str)
def test_sampling(options, tmp_path):
    """In both engines; equal scores stay together, and what is minus infinity is never chosen."""
    scores = numpy.random.default_rng(1).normal(size=(200, 2, 50)).astype("f4") * 2
    scores[:, :, 7] = scores[:, :, 3]
    scores[:, :, 11] = -numpy.inf
    numpy.save(tmp_path / "scores.npy", scores)
    arguments = ", ".join(map(str, options))
    (tmp_path / "sample.str").write_text(f"tensor<float>[2, 50]->tensor pipeline Sample {{ add sampletokens(2, 50, {arguments}); }}\n")
    expected = [[sample(row, 2 * step + b, *options) for b, row in enumerate(rows)] for step, rows in enumerate(scores)]
    for engine in ([], ["--interpret"]):
        command_line = [STRC, "run", *engine, "--top", "Sample", "--in", "scores.npy", "--out", "tokens.npy", "sample.str"]
        done = subprocess.run(command_line, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert numpy.load(tmp_path / "tokens.npy").tolist() == expected
    assert len(numpy.unique(expected)) > 10 and 11 not in numpy.unique(expected)


def test_scores_that_are_no_numbers(tmp_path):
    """There is a token, whatever comes."""
    rows = numpy.array([[numpy.nan] * 3, [0, numpy.inf, numpy.inf], [-numpy.inf] * 3, [numpy.nan, 1, numpy.nan]], dtype="f4")
    numpy.save(tmp_path / "scores.npy", rows[:, None])
    (tmp_path / "sample.str").write_text("tensor<float>[1, 3]->tensor pipeline Sample(float temperature) { add sampletokens(1, 3, temperature, 2, 0.5); }\n")
    for temperature in ("0", "1"):
        done = subprocess.run(
            [STRC, "run", "--top", "Sample", "-D", f"temperature={temperature}", "--in", "scores.npy", "--out", "tokens.npy", "sample.str"],
            cwd=tmp_path, capture_output=True, text=True, timeout=300,
        )
        assert done.returncode == 0, done.stderr
        found = numpy.load(tmp_path / "tokens.npy").ravel()
        assert all(0 <= token < 3 for token in found) and found[1] == 1


def test_sampled_tokens_go_round(tmp_path):
    """The same seed gives the same tokens, which are those of the reference; another one gives others."""
    model, prompt, options = lively(llama), words(3), (5.0, 20, 0.95)
    strc.torch.export_generator(model, tmp_path / "model.str", context=32)
    given = ["-D", "temperature=5", "-D", "top_k=20", "-D", "top_p=0.95"]
    expected = prompt
    with torch.no_grad():
        while expected.shape[1] < 15:
            scores = model(expected).logits[0, -1].numpy()
            token = sample(scores, expected.shape[1] - 1, *options, 9)
            expected = torch.cat([expected, torch.tensor([[token]])], 1)
    found = run(tmp_path, open_end(prompt, 12), *given, "-D", "seed=9")
    assert torch.equal(found, expected)
    assert not torch.equal(run(tmp_path, open_end(prompt, 12), *given, "-D", "seed=10"), found)


def test_an_executable(tmp_path):
    model, prompt = lively(gpt2), words(3)
    strc.torch.export_generator(model, tmp_path / "model.str", context=16)
    built = subprocess.run([STRC, "build", "--top", "Generate", "-o", "gpt2", "model.str"], cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert built.returncode == 0, built.stderr
    expected = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=7, do_sample=False)
    line = f"(echo {' '.join(map(str, prompt[0].tolist()))}; yes -- -1) | ./gpt2 --in-format text --out-format text --limit 10"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [int(token) for token in done.stdout.split()] == expected[0].tolist()


class Peeks(transformers.GPT2LMHeadModel):
    """Looks at what comes later."""

    def forward(self, input_ids=None, position_ids=None, use_cache=None):
        made = super().forward(input_ids=input_ids, position_ids=position_ids, use_cache=use_cache)
        made.logits = made.logits + made.logits.mean(1, keepdim=True)
        return made


def peeks():
    model, _ = gpt2()
    return Peeks(model.config)


def latent():
    sizes = {"q_lora_rank": None, "kv_lora_rank": 8, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 12, "first_k_dense_replace": 2}
    return transformers.DeepseekV3ForCausalLM(transformers.DeepseekV3Config(**{**DECODER, "num_key_value_heads": 2}, **sizes))


REFUSED = {
    "no decoder": (lambda: nn.Linear(3, 3), "a Linear is no decoder of the package transformers"),
    "an encoder": (lambda: bert_pooled()[0], "BertModel"),
    "an encoder, too": (lambda: t5()[0].model, "T5ForConditionalGeneration has an encoder: --input"),
    "another attention": (latent, "an attention with keys and values of another shape has no filter with a ring"),
    "what comes later": (peeks, "Peeks gives something else token by token than for a whole sequence"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_generates_nothing(name, tmp_path):
    make, message = REFUSED[name]
    with pytest.raises(ImportFailure, match=message):
        strc.torch.export_generator(make().eval(), tmp_path / "model.str", context=8)
    assert list(tmp_path.iterdir()) == []


def test_training_mode(tmp_path):
    with pytest.raises(ImportFailure, match="training mode.*--eval"):
        strc.torch.export_generator(lively(gpt2).train(), tmp_path / "model.str", context=8)


MODEL = """import torch
import transformers


def make():
    torch.manual_seed(0)
    sizes = {"n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 12, "vocab_size": 20, "bos_token_id": None, "eos_token_id": None}
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes))
"""


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "model.py").write_text(MODEL)
    wrong = {
        ("--generate",): "--generate takes --context N",
        ("--generate", "--context", "4", "--input", "1x3:long"): "a GPT2LMHeadModel has no encoder",
        ("--generate", "--context", "4", "--prompt", "1,2"): "its prompt comes with the tokens",
        ("--generate", "--context", "4", "--input", "1x3", "--batch", "2"): "--generate takes one --input",
        ("--generate", "--context", "4", "--stop", "20"): "20 is no token: the model has those from 0 to 19",
        ("--stop", "2", "--input", "1x3"): "--stop says something about --generate",
        ("--batch", "2", "--input", "1x3"): "--batch says something about --generate",
        ("--context", "4", "--input", "1x3"): "--context says something about --streaming, --generate and --state",
        ("--generate", "--context", "0", "--eval"): "a context and a batch are 1 or more",
        ("--generate", "--context", "4"): "the model is in training mode",
    }
    for options, message in wrong.items():
        assert command.run(["model.py:make", *options, "-o", "model.str"]) == 1
        assert message in capsys.readouterr().err and not (tmp_path / "model.str").exists()
    assert command.run(["model.py:make", "--generate", "--context", "4", "--batch", "2", "--eval", "-o", "model.str"]) == 0
    assert run(tmp_path, open_end(torch.tensor([[1, 2], [3, 4]]), 3)).shape == (2, 5)


T5 = """import torch
import transformers


def make():
    torch.manual_seed(0)
    sizes = {"d_model": 8, "d_kv": 4, "d_ff": 16, "num_layers": 1, "num_heads": 2, "vocab_size": 20}
    return transformers.T5ForConditionalGeneration(transformers.T5Config(**sizes, decoder_start_token_id=0))
"""


def test_the_command_for_an_encoder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "model.py").write_text(T5)
    line = ["model.py:make", "--generate", "--context", "6", "--eval", "-o", "model.str"]
    for options, message in {(): "has an encoder: --input", ("--input", "1x3:long", "--prompt", "0,1,2,3,4,5"): "leaves nothing to be said"}.items():
        assert command.run([*line, *options]) == 1
        assert message in capsys.readouterr().err and not (tmp_path / "model.str").exists()
    assert command.run([*line, "--input", "2x3:long", "--prompt", "0,7", "--stop", "1"]) == 0
    found = answers(tmp_path, torch.ones(3, 2, 3, dtype=torch.int64), 6)
    assert found.shape == (3, 2, 6) and bool((found[:, :, :2] == torch.tensor([0, 7])).all())


def test_the_place_behind_the_last_one(tmp_path, monkeypatch):
    """A table of positions ends, and so does the run, with a word."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "model.py").write_text(MODEL)
    assert command.run(["model.py:make", "--generate", "--context", "4", "--eval", "-o", "model.str"]) == 0
    line = [STRC, "run", "--top", "Generate", "--in-format", "text", "--out-format", "text", "model.str"]
    done = subprocess.run(line, cwd=tmp_path, input="1 " * 13, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0 and "12" in done.stderr, done.stderr
