"""The models with example inputs, and the options with which they are imported."""

from dataclasses import dataclass, field

import models
import torch


@dataclass
class Case:
    name: str
    model: str
    shapes: list = field(default_factory=list)
    replicate: bool = False
    dynamic: tuple = ()
    states: list = field(default_factory=list)

    def make(self):
        """The model and its inputs, always the same."""
        torch.manual_seed(1)
        model = getattr(models, self.model)().eval()
        for buffer in model.buffers():
            if buffer.is_floating_point():
                buffer.data += torch.rand_like(buffer)
        return model, [torch.randn(*shape) for shape in self.shapes]


CASES = [
    Case("my_module", "MyModule", [(2, 4)]),
    Case("cnn", "CNN", [(1, 3, 32, 32)]),
    Case("cnn_any_batch", "CNN", [(2, 3, 32, 32)], dynamic=(0,)),
    Case("resnet_block", "ResNetBlock", [(1, 8, 6, 6)]),
    Case("two_inputs", "TwoInputs", [(1, 3, 8, 8), (1, 3, 8, 8)]),
    Case("two_outputs", "TwoOutputs", [(1, 3, 8, 8)]),
    Case("lstm_model", "LSTMModel", [(1, 28, 28)]),
    Case("lstm_any_batch", "LSTMModel", [(2, 28, 28)], dynamic=(0,)),
    Case("fused", "Fused", [(2, 6)]),
    Case("fused_replicated", "Fused", [(2, 6)], replicate=True),
    Case("unrolled_rnn", "UnrolledRNN", [(1, 4, 3)]),
    Case("step_rnn", "StepRNN", [(1, 3)], states=[(1, 5)]),
    Case("tiny_resnet", "TinyResNet", [(1, 8, 8, 8)]),
    Case("dense_block", "DenseBlock", [(1, 4, 5, 5)]),
    Case("crossing", "Crossing", [(2, 6)]),
    Case("attention", "Attention", [(5, 6)]),
    Case("exchange", "Exchange", [(1, 4, 8, 8)]),
    Case("mixed", "Mixed", [(2, 6)]),
]
