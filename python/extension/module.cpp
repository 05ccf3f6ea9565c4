/// `strc._core`: libstrc for Python. Whatever takes time does it without the interpreter's lock. What it is for
/// users, with all checks, is python/strc/program.

#include <chrono>
#include <future>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "compiler.h"

namespace nb = nanobind;

namespace strc_python {
namespace {

constexpr std::chrono::milliseconds kPatience{50};

using Released = nb::call_guard<nb::gil_scoped_release>;

/// Does `work` in a thread of its own, without the interpreter's lock, and looks from time to time whether Ctrl-C was
/// pressed, which Python only tells its main thread.
template <typename Work>
auto interruptibly(Compiler& compiler, Work work) {
    auto result = std::async(std::launch::async, std::move(work));
    bool isStopped = false;
    for (bool isReady = false; !isReady;) {
        {
            const nb::gil_scoped_release released;
            isReady = result.wait_for(kPatience) == std::future_status::ready;
        }
        if (isReady || isStopped || PyErr_CheckSignals() == 0) continue;
        isStopped = true;
        compiler.interrupt(true);
    }
    compiler.interrupt(false);
    if (isStopped) throw nb::python_error();
    return result.get();
}

/// Memory of NumPy, of PyTorch, of whoever speaks DLPack or the buffer protocol: without copies.
using Given = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Wanted = nb::ndarray<nb::c_contig, nb::device::cpu>;

Bytes bytesOf(const std::optional<Given>& array) {
    return array ? Bytes{array->data(), array->nbytes()} : Bytes{};
}

Room roomOf(const std::optional<Wanted>& array) {
    return array ? Room{array->data(), array->nbytes()} : Room{};
}

/// The array keeps the bytes.
nb::object arrayOf(std::vector<unsigned char> bytes) {
    auto* kept = new std::vector<unsigned char>(std::move(bytes));
    nb::capsule owner(
        kept, [](void* at) noexcept { delete static_cast<std::vector<unsigned char>*>(at); });
    return nb::cast(
        nb::ndarray<nb::numpy, unsigned char, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

nb::object runOf(Compiler& compiler, std::optional<Given> in,
                 std::optional<std::uint64_t> iterations, std::optional<std::uint64_t> limit) {
    const Bytes from = bytesOf(in);
    Compiler::Run run = interruptibly(compiler, [&] {
        return compiler.run(from, iterations ? &*iterations : nullptr, limit ? &*limit : nullptr);
    });
    if (!run.isFine) return nb::none();
    return arrayOf(std::move(run.output));
}

bool compile(Compiler& compiler, int stage) {
    return interruptibly(compiler, [&] { return compiler.compile(stage); });
}

nb::object textOf(Compiler& compiler, int product) {
    const std::string* text = nullptr;
    {
        const nb::gil_scoped_release released;
        text = compiler.text(product);
    }
    if (!text) return nb::none();
    return nb::str(text->data(), text->size());
}

nb::object processed(const Processed& done) {
    if (!done.isFine) return nb::none();
    return nb::make_tuple(done.consumed, done.produced);
}

nb::object process(Stream& stream, std::optional<Given> in, std::optional<Wanted> out) {
    const Bytes from = bytesOf(in);
    const Room to = roomOf(out);
    Processed done;
    {
        const nb::gil_scoped_release released;
        done = stream.process(from, to);
    }
    return processed(done);
}

/// Addresses as `data_ptr()` and `ctypes.data` give them, which costs less than any protocol.
nb::object processItems(Stream& stream, const std::vector<std::uintptr_t>& in,
                        const std::vector<std::uintptr_t>& out) {
    std::vector<const void*> from;
    std::vector<void*> to;
    for (const std::uintptr_t at : in) from.push_back(reinterpret_cast<const void*>(at));
    for (const std::uintptr_t at : out) to.push_back(reinterpret_cast<void*>(at));
    Processed done;
    {
        const nb::gil_scoped_release released;
        done = stream.processItems(from, to);
    }
    return processed(done);
}

/// Whether all went well, and how many items each stream took and gave. Arrays by their addresses.
nb::object processMany(const std::vector<std::shared_ptr<Stream>>& streams,
                       const std::vector<std::uintptr_t>& in,
                       const std::vector<std::uintptr_t>& out, std::size_t inCount,
                       std::size_t outCount) {
    std::vector<const void*> from;
    std::vector<void*> to;
    for (const std::uintptr_t at : in) from.push_back(reinterpret_cast<const void*>(at));
    for (const std::uintptr_t at : out) to.push_back(reinterpret_cast<void*>(at));
    std::vector<Processed> done;
    {
        const nb::gil_scoped_release released;
        done = Stream::processMany(streams, from, to, {inCount, outCount});
    }
    nb::list counts;
    bool isFine = true;
    for (const Processed& each : done) {
        counts.append(nb::make_tuple(each.consumed, each.produced));
        isFine = isFine && each.isFine;
    }
    return nb::make_tuple(isFine, counts);
}

/// A function of Python that gets the address of bytes, how many they are, and where to put what comes. It raises nothing: false
/// says that it failed.
Stream::Collective collectiveOf(nb::callable function) {
    // The last user may be gone when Python's lock is free.
    auto kept = std::shared_ptr<nb::callable>(new nb::callable(std::move(function)),
                                              [](nb::callable* last) {
                                                  const nb::gil_scoped_acquire held;
                                                  delete last;
                                              });
    return [kept](Bytes own, void* all) {
        const nb::gil_scoped_acquire held;
        try {
            return nb::cast<bool>((*kept)(reinterpret_cast<std::uintptr_t>(own.data), own.size,
                                          reinterpret_cast<std::uintptr_t>(all)));
        } catch (const std::exception&) {  // C calls: nothing may be thrown
            return false;
        }
    };
}

nb::object saved(Stream& stream) {
    std::vector<unsigned char> state;
    Stream::Saved status{};
    {
        const nb::gil_scoped_release released;
        status = stream.save(state);
    }
    if (status != Stream::Saved::Fine) return nb::cast(static_cast<int>(status));
    return nb::bytes(state.data(), state.size());
}

std::shared_ptr<Stream> streamOf(std::shared_ptr<Compiler> compiler) {
    auto made = interruptibly(*compiler, [&] { return std::make_shared<Stream>(compiler); });
    return made->isThere() ? made : nullptr;
}

std::string explanation(const std::string& code) {
    std::string text(strc_explain(code.c_str(), nullptr, 0) + 1, '\0');
    text.resize(strc_explain(code.c_str(), text.data(), text.size()));
    return text;
}

void defineData(nb::module_& module) {
    nb::class_<Tensor>(module, "Tensor")
        .def_ro("element", &Tensor::element)
        .def_ro("shape", &Tensor::shape);
    nb::class_<End>(module, "End")
        .def_ro("type", &End::type)
        .def_ro("size", &End::size)
        .def_ro("layout", &End::layout)
        .def_ro("tensors", &End::tensors)
        .def_ro("turns", &End::turns);
    nb::class_<Diagnostic>(module, "Diagnostic")
        .def_ro("severity", &Diagnostic::severity)
        .def_ro("code", &Diagnostic::code)
        .def_ro("message", &Diagnostic::message)
        .def_ro("file", &Diagnostic::file)
        .def_ro("instance", &Diagnostic::instance)
        .def_ro("text", &Diagnostic::text)
        .def_ro("line", &Diagnostic::line)
        .def_ro("column", &Diagnostic::column)
        .def_ro("end_line", &Diagnostic::end_line)
        .def_ro("end_column", &Diagnostic::end_column);
}

void defineCompiler(nb::module_& module) {
    nb::class_<Compiler>(module, "Compiler")
        .def(nb::init<>())
        .def("add_source", &Compiler::addSource, nb::arg("name"), nb::arg("text"))
        .def("add_file", &Compiler::addFile, nb::arg("path"))
        .def(
            "set",
            [](Compiler& self, const std::string& option, std::optional<std::string> value) {
                return self.set(option, value ? &*value : nullptr);
            },
            nb::arg("option"), nb::arg("value").none() = nb::none())
        .def(
            "add_weights",
            [](Compiler& self, const std::string& name, const std::string& element,
               const std::vector<std::int64_t>& shape, std::uintptr_t address, std::size_t size) {
                self.addWeights(name, element, shape,
                                {reinterpret_cast<const void*>(address), size});
            },
            nb::arg("name"), nb::arg("element"), nb::arg("shape"), nb::arg("address"),
            nb::arg("size"))
        .def("compile", &compile, nb::arg("stage"))
        .def("take_printed", &Compiler::takePrinted)
        .def("diagnostics", &Compiler::diagnostics, nb::arg("start") = 0)
        .def("text", &textOf, nb::arg("product"),
             nb::sig("def text(self, product: int) -> str | None"))
        .def(
            "input", [](const Compiler& self) { return self.end(true); },
            nb::sig("def input(self) -> End | None"))
        .def(
            "output", [](const Compiler& self) { return self.end(false); },
            nb::sig("def output(self) -> End | None"))
        .def("run", &runOf, nb::arg("input").none(), nb::arg("iterations").none() = nb::none(),
             nb::arg("limit").none() = nb::none(),
             nb::sig("def run(self, input: typing.Any, iterations: int | None = None, limit: int | "
                     "None = None) -> typing.Any"))
        .def("stream", &streamOf, nb::sig("def stream(self) -> Stream | None"));
}

void defineStream(nb::module_& module) {
    nb::class_<Stream>(module, "Stream")
        .def_prop_ro("block_in", [](const Stream& self) { return self.about().block_in; })
        .def_prop_ro("block_out", [](const Stream& self) { return self.about().block_out; })
        .def_prop_ro("first_in", [](const Stream& self) { return self.about().first_in; })
        .def_prop_ro("first_out", [](const Stream& self) { return self.about().first_out; })
        .def_prop_ro("latency", [](const Stream& self) { return self.about().latency; })
        .def_prop_ro("keeps_nothing",
                     [](const Stream& self) { return self.about().keeps_nothing != 0; })
        .def_prop_ro("identity", [](const Stream& self) { return self.about().identity; })
        .def(
            "join",
            [](Stream& self, nb::callable gather, nb::callable exchange) {
                self.join(collectiveOf(std::move(gather)), collectiveOf(std::move(exchange)));
            },
            nb::arg("gather"), nb::arg("exchange"),
            nb::sig("def join(self, gather: typing.Any, exchange: typing.Any) -> None"))
        .def("process", &process, nb::arg("input").none(), nb::arg("output").none(),
             nb::sig("def process(self, input: typing.Any, output: typing.Any) -> tuple[int, int] "
                     "| None"))
        .def_static("process_many", &processMany, nb::arg("streams"), nb::arg("input"),
                    nb::arg("output"), nb::arg("in_count"), nb::arg("out_count"),
                    nb::sig("def process_many(streams: typing.Sequence[Stream], input: "
                            "typing.Sequence[int], output: typing.Sequence[int], in_count: int, "
                            "out_count: int) -> tuple[bool, list[tuple[int, int]]]"))
        .def("process_items", &processItems, nb::arg("input"), nb::arg("output"),
             nb::sig("def process_items(self, input: typing.Sequence[int], output: "
                     "typing.Sequence[int]) -> tuple[int, int] | None"))
        .def("reset", &Stream::reset, Released())
        .def("save", &saved, nb::sig("def save(self) -> bytes | int"))
        .def(
            "restore",
            [](Stream& self, const nb::bytes& state) {
                return static_cast<int>(self.restore({state.data(), state.size()}));
            },
            nb::arg("state"))
        .def(
            "position",
            [](const Stream& self) {
                const Processed found = self.position();
                return nb::make_tuple(found.consumed, found.produced);
            },
            nb::sig("def position(self) -> tuple[int, int]"))
        .def(
            "set",
            [](Stream& self, const std::string& parameter, const nb::bytes& value) {
                return self.set(parameter, {value.data(), value.size()});
            },
            nb::arg("parameter"), nb::arg("value"))
        .def(
            "replace",
            [](Stream& self, const std::shared_ptr<Compiler>& by, std::uint64_t fade) {
                return static_cast<int>(self.replace(by, fade));
            },
            nb::arg("by"), nb::arg("fade"), Released())
        .def(
            "replacement",
            [](Stream& self) {
                const Stream::Replacement found = self.replacement();
                return nb::make_tuple(found.isUnderWay, found.told);
            },
            nb::sig("def replacement(self) -> tuple[bool, str]"));
}

}  // namespace
}  // namespace strc_python

NB_MODULE(_core, module) {
    nb::set_leak_warnings(false);  // who keeps programs to the end of the process may
    module.doc() = "libstrc: the compiler in this process. See strc.compile.";
    strc_python::defineData(module);
    strc_python::defineStream(module);
    strc_python::defineCompiler(module);
    module.def("version", [] { return std::string(strc_version()); });
    module.def("explain", &strc_python::explanation, nb::arg("code"));
}
