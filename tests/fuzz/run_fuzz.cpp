// Any bytes as a program that is run for a moment by the interpreter, on an input of zeros if it
// takes one. Programs that name files are left alone.

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/assert.h"
#include "interp/machine.h"
#include "program.h"

using namespace strc;

namespace {

class Zeros final : public io::ItemReader {
public:
    explicit Zeros(const types::Type* item)
        : itemSize(static_cast<std::size_t>(types::sizeOf(item))) {}
    base::Result<std::size_t> read(std::byte* to, std::size_t count) override {
        const std::size_t given = std::min(count, left);
        std::memset(to, 0, given * itemSize);
        left -= given;
        return given;
    }
    bool rewind() override { return false; }

private:
    std::size_t itemSize;
    std::size_t left = 1'000;
};

class Nowhere final : public io::ItemWriter {
public:
    base::Status write(const std::byte*, std::size_t) override { return base::ok(); }
    base::Status flush() override { return base::ok(); }
    base::Status close() override { return base::ok(); }
    bool readerGone() const override { return false; }
};

bool namesFiles(const graph::Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                       [](const graph::Node& node) { return !node.file.empty(); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto program = fuzz::compileText(data, size, session::Stage::Balanced);
    if (program->context.diags.hasErrors()) return 0;
    const graph::Graph& graph = program->elaboration.graph;
    if (namesFiles(graph)) return 0;

    interp::Options options;
    options.iterations = 20;
    options.stepLimit = 100'000;
    options.print = [](std::string_view) {};
    std::unique_ptr<Zeros> input;
    Nowhere output;
    if (graph.input != graph::kNone) input = std::make_unique<Zeros>(graph.edges[graph.input].type);
    if (graph.output != graph::kNone) options.output = &output;
    options.input = input.get();
    const interp::Outcome outcome =
        interp::run(program->context, program->module, program->elaboration, program->repetitions,
                    *program->program.types, options);
    STRC_ASSERT((outcome.end == interp::End::Failed) == program->context.diags.hasErrors(),
                "a run failed without a word, or went on after an error");
    fuzz::checkMessages(program->context);
    return 0;
}
