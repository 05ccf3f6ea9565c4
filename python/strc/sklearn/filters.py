"""The filters that exported programs are made of, beside those of the library.

`$float` in a text is the type of the program's input, `$round` rounds to it what was computed in double.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import Template

from ..ir import Instruction
from .trees_source import TREES


@dataclass(frozen=True)
class Filter:
    """The text of a filter, with `$name` where its name stands. All its parameters are given by name."""

    name: str
    text: str
    formals: tuple[str, ...] = ()

    def source(self, name: str, example: Instruction) -> str:
        return Template(self.text).safe_substitute(name=name).strip()


SCALERS = {
    "StandardScaler": """
// (x - mean) / scale, feature by feature.
tensor->tensor filter $name(int features, String weights = "") {
    tensor<$float>[features] mean = stored(weights, "mean");
    tensor<$float>[features] scale = stored(weights, "scale");
    work pop 1 push 1 { push((pop() - mean) / scale); }
}""",
    "RobustScaler": """
// (x - center) / scale, feature by feature.
tensor->tensor filter $name(int features, String weights = "") {
    tensor<double>[features] center = stored(weights, "center");
    tensor<double>[features] scale = stored(weights, "scale");
    work pop 1 push 1 { push($round($round(pop() - center) / scale)); }
}""",
    "MinMaxScaler": """
// x * scale + min, feature by feature.
tensor->tensor filter $name(int features, String weights = "") {
    tensor<double>[features] scale = stored(weights, "scale");
    tensor<double>[features] min = stored(weights, "min");
    work pop 1 push 1 { push($round($round(pop() * scale) + min)); }
}""",
    "MaxAbsScaler": """
// x / scale, feature by feature.
tensor->tensor filter $name(int features, String weights = "") {
    tensor<double>[features] scale = stored(weights, "scale");
    work pop 1 push 1 { push($round(pop() / scale)); }
}""",
    "Clip": """
// What is beyond the limits is put on them.
tensor->tensor filter $name(String weights = "") {
    tensor<$float>[1] low = stored(weights, "low");
    tensor<$float>[1] high = stored(weights, "high");
    work pop 1 push 1 {
        tensor x = pop();
        push(where(x < low, low, where(x > high, high, x)));
    }
}""",
    "NormalizerL1": """
// Each row divided by the sum of its absolute values.
tensor->tensor filter $name {
    work pop 1 push 1 {
        tensor<double> x = (double)pop();
        tensor norm = sum(abs(x), 1, 1);
        push($round(x / where(norm == 0, 1, norm)));
    }
}""",
    "NormalizerL2": """
// Each row divided by its length.
tensor->tensor filter $name {
    work pop 1 push 1 {
        tensor<double> x = (double)pop();
        tensor norm = sqrt(sum(x * x, 1, 1));
        push($round(x / where(norm == 0, 1, norm)));
    }
}""",
    "NormalizerMax": """
// Each row divided by its greatest absolute value.
tensor->tensor filter $name {
    work pop 1 push 1 {
        tensor<double> x = (double)pop();
        tensor norm = amax(abs(x), 1, 1);
        push($round(x / where(norm == 0, 1, norm)));
    }
}""",
    "SimpleImputer": """
// What stands for NaN, feature by feature.
tensor->tensor filter $name(int features, String weights = "") {
    tensor<$float>[features] statistics = stored(weights, "statistics");
    work pop 1 push 1 {
        tensor x = pop();
        push(where(x == x, x, statistics));
    }
}""",
    "Binarizer": """
// 1 where x is beyond the threshold, else 0.
tensor->tensor filter $name(String weights = "") {
    tensor<double>[1] threshold = stored(weights, "threshold");
    work pop 1 push 1 { push(($float)(pop() > threshold)); }
}""",
    "OneHotEncoder": """
// For each of `outputs` categories 1 where its feature has that value, else 0.
tensor->tensor filter $name(int outputs, String weights = "") {
    tensor<int>[outputs] feature = stored(weights, "feature");
    tensor<double>[outputs] category = stored(weights, "category");
    work pop 1 push 1 { push((double)(take(pop(), feature, 1) == category)); }
}""",
    "Features": """
// Some of the features, in the order in which they are named.
tensor->tensor filter $name(int features, String weights = "") {
    tensor<int>[features] feature = stored(weights, "feature");
    work pop 1 push 1 { push(take(pop(), feature, 1)); }
}""",
}

RESULTS = {
    "Linear": """
// x W^T + b, in double.
tensor->tensor filter $name(int features, int outputs, String weights = "") {
    tensor<double>[outputs, features] weight = stored(weights, "weight");
    tensor<double>[outputs] bias = stored(weights, "bias");
    work pop 1 push 1 { push(matmul((double)pop(), transpose(weight, 0, 1)) + bias); }
}""",
    "Average": """
// A forest's sum divided by the number of its trees.
tensor->tensor filter $name(int trees) { work pop 1 push 1 { push(pop() / trees); } }""",
    "Double": """
// Twice x.
tensor->tensor filter $name { work pop 1 push 1 { push(2 * pop()); } }""",
    "Exp": """
// e to the power of x.
tensor->tensor filter $name { work pop 1 push 1 { push(exp(pop())); } }""",
    "Rounded": """
// As numbers of the input's type.
tensor->tensor filter $name { work pop 1 push 1 { push(($float)pop()); } }""",
    "AboveZero": """
// The class of two that a decision is for: 1 where it is positive, else 0.
tensor->tensor filter $name { work pop 1 push 1 { push(long(squeeze(pop() > 0, 1))); } }""",
    "NotBelowZero": """
// The class of two that a decision is for: 0 where it is negative, else 1.
tensor->tensor filter $name { work pop 1 push 1 { push(long(squeeze(pop() >= 0, 1))); } }""",
    "BothClasses": """
// The probabilities of two classes from that of the second.
tensor->tensor filter $name {
    work pop 1 push 1 {
        tensor p = pop();
        push(concat(1 - p, p, 1));
    }
}""",
    "Clipped": """
// (x + 1) / 2 for x within [-1, 1], which are used beyond.
tensor->tensor filter $name { work pop 1 push 1 { push((min(max(pop(), -1), 1) + 1) / 2); } }""",
    "ShareOfEach": """
// Each row divided by its sum; the same for all where that is 0.
tensor->tensor filter $name {
    work pop 1 push 1 {
        tensor x = pop();
        tensor all = sum(x, 1, 1);
        push(where(all == 0, 1.0 / size(x, 1), x / where(all == 0, 1, all)));
    }
}""",
}


def filter_of(name: str, element: str) -> Filter:
    """A filter for inputs of a type, `float` or `double`."""
    text = {**SCALERS, **RESULTS, **TREES}[name]
    words = {"float": element, "round": "(float)" if element == "float" else ""}
    return Filter(name.partition("_")[0], Template(text).safe_substitute(words))
