"""Models of the package transformers by their configurations, small and with random weights, and inputs of theirs."""

import pytest
import torch
from torch import nn

transformers = pytest.importorskip("transformers", reason="the package transformers comes with `strc setup torch --all`")

WORDS = 60
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
DECODER = {**SIZES, "vocab_size": WORDS, "num_key_value_heads": 1, "max_position_embeddings": 64, "bos_token_id": None, "eos_token_id": None, "pad_token_id": None}


class Named(nn.Module):
    """A model whose inputs are these arguments."""

    def __init__(self, model, *names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs)))


def words(count=7, batch=1):
    return torch.randint(0, WORDS, (batch, count))


def bert():
    model = transformers.BertForMaskedLM(transformers.BertConfig(vocab_size=WORDS, **SIZES))
    return Named(model, "input_ids", "attention_mask"), [words(batch=2), torch.tensor([[1] * 7, [1] * 5 + [0] * 2])]


def bert_pooled():
    return transformers.BertModel(transformers.BertConfig(vocab_size=WORDS, **SIZES)), [words()]


def gpt2(**more):
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 64, "bos_token_id": None, "eos_token_id": None}
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=WORDS, **sizes, **more)), [words()]


def llama():
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**DECODER)), [words()]


def qwen2():
    return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**DECODER)), [words()]


def qwen3():
    return transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**DECODER, head_dim=16)), [words()]


def mistral():
    """Attends to its last five tokens."""
    return transformers.MistralForCausalLM(transformers.MistralConfig(**DECODER, sliding_window=5)), [words()]


def gemma2(**more):
    """With scores that are squeezed before their softmax."""
    return transformers.Gemma2ForCausalLM(transformers.Gemma2Config(**{**DECODER, **more}, head_dim=16)), [words()]


def vit():
    return transformers.ViTForImageClassification(transformers.ViTConfig(image_size=32, patch_size=8, **SIZES)), [torch.randn(1, 3, 32, 32)]


def t5(**more):
    sizes = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2}
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(vocab_size=WORDS, **sizes, decoder_start_token_id=0, **more))
    return Named(model, "input_ids", "decoder_input_ids"), [words(), words(4)]


def sides(**sizes):
    """The same sizes for an encoder and its decoder."""
    return {f"{side}_{what}": number for side in ("encoder", "decoder") for what, number in sizes.items()}


def whisper(**more):
    layers = sides(layers=2, attention_heads=2, ffn_dim=64)
    tokens = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    config = transformers.WhisperConfig(
        d_model=32, num_mel_bins=8, max_source_positions=20, max_target_positions=30, vocab_size=WORDS, **layers, **tokens, **more
    )
    return Named(transformers.WhisperForConditionalGeneration(config), "input_features", "decoder_input_ids"), [torch.randn(1, 8, 40), words(4)]


def bart(**more):
    layers = sides(layers=2, attention_heads=2, ffn_dim=64)
    config = transformers.BartConfig(vocab_size=WORDS, d_model=32, max_position_embeddings=64, forced_eos_token_id=None, **layers, **more)
    return Named(transformers.BartForConditionalGeneration(config), "input_ids", "decoder_input_ids"), [words(), words(4)]


MODELS = [bert, bert_pooled, gpt2, llama, qwen2, qwen3, mistral, gemma2, vit, t5, whisper, bart]


def made(make):
    """A model in eval mode, and its inputs: always the same. What starts as zeros or ones is random, too."""
    torch.manual_seed(3)
    model, inputs = make()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter += 0.1 * torch.randn_like(parameter)
            else:
                parameter *= 4
    return model.eval(), inputs
