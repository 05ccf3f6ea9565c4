"""Architectures of other libraries, with random weights and an example input: the smallest member of each family."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import nn

TORCHVISION = (
    "alexnet convnext_tiny densenet121 efficientnet_b0 efficientnet_v2_s googlenet inception_v3 maxvit_t mnasnet0_5 "
    "mobilenet_v2 mobilenet_v3_small regnet_y_400mf resnet18 resnext50_32x4d shufflenet_v2_x0_5 squeezenet1_0 swin_t swin_v2_t "
    "vgg11 vit_b_16 wide_resnet50_2"
).split()
SEGMENTATION = ["lraspp_mobilenet_v3_large"]
TIMM = (
    "resnet10t convnext_atto deit_tiny_patch16_224 mixer_s32_224 efficientnet_lite0 mobilevit_xxs repvgg_a0 resmlp_12_224 "
    "xcit_nano_12_p16_224 poolformer_s12 levit_128s edgenext_xx_small ghostnet_050 hrnet_w18_small regnetx_002 dla46_c "
    "vit_tiny_patch16_224 cait_xxs24_224 gernet_s nfnet_l0 tinynet_e fastvit_t8 mobilenetv4_conv_small coat_tiny"
).split()


@dataclass
class Entry:
    """A model's name, and how it and its input are made."""

    name: str
    make: Callable[[int | None], tuple[nn.Module, torch.Tensor]]  # of a size of images, where that is free


class First(nn.Module):
    """The first of a model's outputs."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)[0]


class Named(nn.Module):
    """One of the outputs that a model gives by name."""

    def __init__(self, model: nn.Module, name: str):
        super().__init__()
        self.model = model
        self.name = name

    def forward(self, x):
        return self.model(x)[self.name]


FIXED = ("vit", "swin", "maxvit", "deit", "mixer", "resmlp", "xcit", "levit", "cait", "coat", "mobilevit", "edgenext", "poolformer", "fastvit")


def size_of(name: str, size: int | None, usual: int) -> int:
    """Of its images: the usual one where a model is made for that."""
    return usual if size is None or name.startswith(FIXED) else max(size, 75) if name == "inception_v3" else size


def from_torchvision(name: str, wanted: int | None) -> tuple[nn.Module, torch.Tensor]:
    import torchvision.models as models

    size = size_of(name, wanted, 299 if name == "inception_v3" else 224)
    extra = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    return getattr(models, name)(**extra), torch.randn(1, 3, size, size)


def from_segmentation(name: str, size: int | None) -> tuple[nn.Module, torch.Tensor]:
    from torchvision.models import segmentation

    model = getattr(segmentation, name)(weights=None, weights_backbone=None)
    return Named(model, "out"), torch.randn(1, 3, size or 224, size or 224)


def from_timm(name: str, wanted: int | None) -> tuple[nn.Module, torch.Tensor]:
    import timm

    model = timm.create_model(name, pretrained=False)
    channels, usual, _ = model.default_cfg["input_size"]
    size = size_of(name, wanted, usual)
    return model, torch.randn(1, channels, size, size)


def words() -> torch.Tensor:
    return torch.randint(0, 50, (1, 7))


def bert() -> tuple[nn.Module, torch.Tensor]:
    import transformers as t

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    return First(t.BertModel(t.BertConfig(vocab_size=60, **sizes))), words()


def distilbert() -> tuple[nn.Module, torch.Tensor]:
    import transformers as t

    return First(t.DistilBertModel(t.DistilBertConfig(vocab_size=60, dim=32, n_layers=2, n_heads=2, hidden_dim=64))), words()


def gpt2() -> tuple[nn.Module, torch.Tensor]:
    import transformers as t

    ends = {"bos_token_id": 0, "eos_token_id": 0}
    config = t.GPT2Config(vocab_size=60, n_embd=32, n_layer=2, n_head=2, use_cache=False, **ends)
    return First(t.GPT2LMHeadModel(config)), words()


def vit() -> tuple[nn.Module, torch.Tensor]:
    import transformers as t

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    return First(t.ViTModel(t.ViTConfig(image_size=32, patch_size=8, **sizes))), torch.randn(1, 3, 32, 32)


def whisper_encoder() -> tuple[nn.Module, torch.Tensor]:
    import transformers as t

    config = t.WhisperConfig(
        d_model=32, encoder_layers=2, encoder_attention_heads=2, encoder_ffn_dim=64, decoder_layers=1, decoder_attention_heads=2,
        num_mel_bins=8, max_source_positions=20, vocab_size=60, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1,
    )
    return First(t.WhisperModel(config).encoder), torch.randn(1, 8, 40)


def entries() -> Iterator[Entry]:
    """All of them, quick ones first within a library."""
    for make in (bert, distilbert, gpt2, vit, whisper_encoder):
        yield Entry(f"transformers/{make.__name__}", lambda size, make=make: make())
    for library, names, source in (
        ("torchvision", TORCHVISION, from_torchvision), ("segmentation", SEGMENTATION, from_segmentation), ("timm", TIMM, from_timm),
    ):
        for name in names:
            yield Entry(f"{library}/{name}", lambda size, source=source, name=name: source(name, size))
