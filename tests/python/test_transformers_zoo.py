"""Many models of the package transformers, small and with random weights: each is imported as a whole, and gives what PyTorch gives."""

import pytest
import torch
from test_run import assert_close, run_program
from torch import nn
from transformers_models import DECODER, SIZES, WORDS, Named, made, sides, transformers, words

import strc.torch
from strc.torch.results import flat

pytest.importorskip("transformers.integrations.moe")  # has an operator of its own

LAYERS = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
PICTURES = {"image_size": 32, "patch_size": 8, **SIZES}
SOUNDS = {"conv_dim": (16, 16), "conv_stride": (5, 2), "conv_kernel": (10, 3), "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2, **SIZES}
EXPERTS = {"num_experts_per_tok": 2, "pad_token_id": None}


def of(kind, config, **sizes):
    """A model by the names of its class and of its configuration."""
    return getattr(transformers, kind)(getattr(transformers, config)(**sizes))


def texts(kind, config, **sizes):
    return lambda: (of(kind, config, **{"vocab_size": WORDS, **SIZES, **sizes}), [words()])


def decoders(kind, config, **sizes):
    return lambda: (of(kind, config, **{**DECODER, **sizes}), [words()])


def named(kind, config, **sizes):
    """With names of its own for all sizes."""
    return lambda: (of(kind, config, vocab_size=WORDS, **sizes), [words()])


def pictures(kind, config, size=32, **sizes):
    return lambda: (of(kind, config, **sizes), [torch.randn(1, 3, size, size)])


def sounds(kind, config):
    return lambda: (of(kind, config, vocab_size=WORDS, **SOUNDS), [torch.randn(1, 400)])


def pegasus():
    sizes = sides(layers=2, attention_heads=2, ffn_dim=64)
    model = of("PegasusForConditionalGeneration", "PegasusConfig", vocab_size=WORDS, d_model=32, max_position_embeddings=64, **sizes)
    return Named(model, "input_ids", "decoder_input_ids"), [words(), words(4)]


def clip():
    text = {"vocab_size": WORDS, "max_position_embeddings": 20, "bos_token_id": 1, "eos_token_id": 2, **SIZES}
    model = of("CLIPModel", "CLIPConfig", text_config=text, vision_config=PICTURES, projection_dim=16)
    return Named(model, "input_ids", "pixel_values", "attention_mask"), [words(batch=2), torch.randn(2, 3, 32, 32), torch.ones(2, 7, dtype=torch.int64)]


def detr():
    backbone = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 16, 16], depths=[1] * 4, layer_type="basic", out_features=["stage4"])
    sizes = sides(layers=1, attention_heads=2, ffn_dim=32)
    return of("DetrForObjectDetection", "DetrConfig", backbone_config=backbone, d_model=32, num_queries=5, **sizes), [torch.randn(1, 3, 64, 64)]


MODELS = {
    "distilbert": named("DistilBertForMaskedLM", "DistilBertConfig", dim=32, n_layers=2, n_heads=2, hidden_dim=64),
    "roberta": texts("RobertaForSequenceClassification", "RobertaConfig", max_position_embeddings=64, pad_token_id=1),
    "albert": texts("AlbertForMaskedLM", "AlbertConfig", embedding_size=16),
    "deberta": texts("DebertaForMaskedLM", "DebertaConfig", pos_att_type=["c2p", "p2c"], relative_attention=True),
    "deberta, second version": texts("DebertaV2ForMaskedLM", "DebertaV2Config", pos_att_type=["c2p", "p2c"], relative_attention=True, position_buckets=8),
    "modernbert": texts("ModernBertForMaskedLM", "ModernBertConfig", local_attention=4, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2),
    "pegasus": pegasus,
    "opt": named("OPTForCausalLM", "OPTConfig", ffn_dim=64, max_position_embeddings=64, word_embed_proj_dim=32, **LAYERS),
    "gpt-neox": texts("GPTNeoXForCausalLM", "GPTNeoXConfig", max_position_embeddings=64),
    "phi": decoders("PhiForCausalLM", "PhiConfig"),
    "gemma": decoders("GemmaForCausalLM", "GemmaConfig", head_dim=16),
    "mixtral": decoders("MixtralForCausalLM", "MixtralConfig", num_local_experts=4, **EXPERTS),
    "qwen2 of experts": decoders("Qwen2MoeForCausalLM", "Qwen2MoeConfig", num_experts=4, moe_intermediate_size=16, shared_expert_intermediate_size=16, **EXPERTS),
    "gpt-oss": decoders("GptOssForCausalLM", "GptOssConfig", head_dim=16, num_local_experts=4, **EXPERTS),
    "falcon": named("FalconForCausalLM", "FalconConfig", alibi=True, **LAYERS),
    "mamba": named("MambaForCausalLM", "MambaConfig", hidden_size=32, num_hidden_layers=2, state_size=4),
    "mamba, second version": named("Mamba2ForCausalLM", "Mamba2Config", hidden_size=32, num_hidden_layers=2, state_size=8, num_heads=4, head_dim=16, n_groups=1, chunk_size=4),
    "xlnet": named("XLNetLMHeadModel", "XLNetConfig", d_model=32, n_layer=2, n_head=2, d_inner=64),
    "wav2vec2": sounds("Wav2Vec2ForCTC", "Wav2Vec2Config"),
    "clip": clip,
    "segformer": pictures("SegformerForSemanticSegmentation", "SegformerConfig", 64, hidden_sizes=[8, 16, 24, 32], num_attention_heads=[1, 2, 2, 4], depths=[1] * 4, decoder_hidden_size=16, num_labels=3),
    "detr": detr,
    "beit": pictures("BeitForImageClassification", "BeitConfig", use_relative_position_bias=True, **PICTURES),
    "swin": pictures("SwinForImageClassification", "SwinConfig", image_size=32, patch_size=2, embed_dim=8, depths=[2, 2], num_heads=[1, 2], window_size=4),
}


@pytest.mark.parametrize("name", MODELS)
def test_whole_models(name, tmp_path):
    model, inputs = made(MODELS[name])
    with torch.no_grad():
        expected = list(flat(model(*inputs)))
    imported = strc.torch.export(model, inputs, tmp_path / "model.str")
    found = run_program(tmp_path, imported.program.name, inputs, len(expected))
    for one, value in zip(found, expected, strict=True):
        assert_close(one, value)


class Grouped(nn.Module):
    """Rows of experts whose matrices are an input."""

    def forward(self, x, matrices, ends):
        return torch.ops.transformers.grouped_mm_fallback(x, matrices, ends)


def test_experts_that_arrive(tmp_path):
    """One of them has no rows, as the last one may."""
    inputs = [torch.randn(6, 3), torch.randn(4, 3, 5), torch.tensor([1, 1, 4, 6])]
    strc.torch.export(Grouped(), inputs, tmp_path / "model.str")
    for ends in ([1, 1, 4, 6], [0, 2, 6, 6], [6, 6, 6, 6]):
        inputs[2] = torch.tensor(ends)
        assert_close(run_program(tmp_path, "Grouped", inputs, 1)[0], Grouped()(*inputs))
