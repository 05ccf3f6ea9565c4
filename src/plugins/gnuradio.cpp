// A block of GNU Radio 3.10: a module of Python over the shared library, and its description for the companion.
#include <fmt/format.h>

#include "plugins/plugin.h"

namespace strc::plugins {
namespace {

constexpr const char* kModule =
    R"("""{title}: a stream program as a block of GNU Radio, made by `strc build --gnuradio`."""
import ctypes
import pathlib
import sys
import threading

import numpy
from gnuradio import gr

_library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().with_name("{library}")))


def _function(name, result, *arguments):
    found = getattr(_library, "{stream}_" + name)
    found.restype, found.argtypes = result, arguments
    return found


_size = ctypes.POINTER(ctypes.c_size_t)
_create = _function("create", ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))
_destroy = _function("destroy", None, ctypes.c_void_p)
_reset = _function("reset", None, ctypes.c_void_p)
_message = _function("message", ctypes.c_char_p, ctypes.c_void_p)
_set = _function("set", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t)
_process = _function(
    "process", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, _size, _size)


class {module}(gr.basic_block):
    def __init__(self{arguments}):
        self._handle = None
        gr.basic_block.__init__(self, name="{title}", in_sig={in}, out_sig={out})
        status = ctypes.c_int(0)
        self._handle = _create(ctypes.byref(status))
        if not self._handle:
            raise RuntimeError("{title}: " + ("there is not enough memory" if status.value == 2 else "built for another processor"))
        self._lock = threading.Lock()
{begin}
    def __del__(self):
        if self._handle:
            _destroy(self._handle)

    def start(self):
        with self._lock:
            _reset(self._handle)
        return True

    def forecast(self, noutput_items, ninputs):
        return [1] * ninputs

    def general_work(self, input_items, output_items):
        taken, given = ctypes.c_size_t(0), ctypes.c_size_t(0)
        source, room = {source}, {room}
        with self._lock:
            failed = _process(
                self._handle, source.ctypes.data if len(source) else None, len(source),
                room.ctypes.data if len(room) else None, len(room), ctypes.byref(taken), ctypes.byref(given))
            why = _message(self._handle).decode() if failed else ""
{consume}        if failed and not given.value:
            print("{title}: " + why, file=sys.stderr)
            return -1
        return {result}

    def _set_parameter(self, index, value, kind):
        data = numpy.array(value, kind).tobytes()
        with self._lock:
            if _set(self._handle, index, data, len(data)):
                raise ValueError("{title}: " + _message(self._handle).decode())
)";

constexpr const char* kSetter = R"(
    def set_{0}(self, {0}):
        self._set_parameter({1}, {0}, numpy.{2})
)";

/// A text of Python or YAML between double quotes.
std::string escaped(const std::string& text) {
    std::string made;
    for (const char c : text) {
        if (c == '"' || c == '\\') made += '\\';
        made += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return made;
}

std::string signatureOf(const RadioEnd& end) {
    if (end.sample.empty()) return "None";
    if (end.length == 1) return fmt::format("[numpy.{}]", end.sample);
    return fmt::format("[(numpy.{}, {})]", end.sample, end.length);
}

std::string argumentsOf(const RadioBlock& block) {
    std::string made;
    for (const RadioParameter& each : block.parameters)
        made += fmt::format(", {}={}", each.name, each.initial);
    return made;
}

std::string beginOf(const RadioBlock& block) {
    std::string made;
    if (block.inputItems > 0 && block.outputItems > 0)
        made += fmt::format("        self.set_relative_rate({}, {})\n", block.outputItems,
                            block.inputItems);
    for (const RadioParameter& each : block.parameters)
        made += fmt::format("        self.set_{0}({0})\n", each.name);
    return made;
}

void addPort(const RadioEnd& end, const char* side, const char* label, std::string& text) {
    if (end.sample.empty()) return;
    text +=
        fmt::format("\n{}:\n- label: {}\n  domain: stream\n  dtype: {}\n", side, label, end.type);
    if (end.length != 1) text += fmt::format("  vlen: {}\n", end.length);
}

}  // namespace

std::string radioModule(const RadioBlock& block) {
    using fmt::arg;
    const bool takes = !block.in.sample.empty(), gives = !block.out.sample.empty();
    std::string text =
        fmt::format(fmt::runtime(kModule), arg("title", escaped(block.title)),
                    arg("library", block.library), arg("stream", block.stream),
                    arg("module", block.module), arg("arguments", argumentsOf(block)),
                    arg("in", signatureOf(block.in)), arg("out", signatureOf(block.out)),
                    arg("begin", beginOf(block)), arg("source", takes ? "input_items[0]" : "()"),
                    arg("room", gives ? "output_items[0]" : "()"),
                    arg("consume", takes ? "        self.consume(0, taken.value)\n" : ""),
                    arg("result", gives ? "given.value" : "0"));
    for (std::size_t k = 0; k < block.parameters.size(); ++k)
        text += fmt::format(kSetter, block.parameters[k].name, k, block.parameters[k].sample);
    return text;
}

std::string radioDescription(const RadioBlock& block) {
    std::string text = fmt::format("id: {}\nlabel: \"{}\"\ncategory: '[strc]'\n", block.module,
                                   escaped(block.title));
    std::string given, callbacks;
    if (!block.parameters.empty()) text += "\nparameters:\n";
    for (const RadioParameter& each : block.parameters) {
        const std::string unit = each.unit.empty() ? "" : " (" + each.unit + ")";
        text += fmt::format("- id: {}\n  label: \"{}\"\n  dtype: {}\n  default: '{}'\n", each.name,
                            escaped(each.label + unit), each.type, each.initial);
        given += fmt::format("{}${{{}}}", given.empty() ? "" : ", ", each.name);
        callbacks += fmt::format("  - set_{0}(${{{0}}})\n", each.name);
    }
    addPort(block.in, "inputs", "in", text);
    addPort(block.out, "outputs", "out", text);
    text += fmt::format("\ntemplates:\n  imports: import {0}\n  make: {0}.{0}({1})\n", block.module,
                        given);
    if (!callbacks.empty()) text += "  callbacks:\n" + callbacks;
    return text + "\nfile_format: 1\n";
}

}  // namespace strc::plugins
