#include "program.h"

#include <string>

#include "base/assert.h"
#include "base/render.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace strc::fuzz {
namespace {

constexpr std::size_t kLongestText = 50'000;  ///< of an IR that is read back

const session::Library& library() {
    static const auto builtIn = session::Library::builtIn();
    return builtIn;
}

void setSmallLimits(base::Limits& limits) {
    limits.nesting = 100;
    limits.treeDepth = 300;
    limits.elaborationSteps = 100'000;
    limits.nodes = 1'000;
    limits.enqueuedItems = 10'000;
    limits.streamDepth = 100;
    limits.callDepth = 100;
    limits.arrayBytes = 1 << 20;
    limits.totalBytes = 16 << 20;
    limits.simulationSteps = 20'000;
    limits.emptyFirings = 1'000;
}

void expectNone(const std::vector<std::string>& faults) {
    STRC_ASSERT(faults.empty(), faults.empty() ? "" : faults.front());
}

/// The printed IR is read back as the same.
void checkText(const ir::Module& module) {
    const std::string text = ir::print(module);
    if (text.size() > kLongestText) return;
    types::TypeTable types;
    base::NameTable names;
    const auto again = ir::parse(text, types, names);
    STRC_ASSERT(bool(again), "printed IR cannot be read: " + again.error());
    STRC_ASSERT(ir::print(*again) == text, "printed IR is read as another module");
}

/// Specialised code is as well formed as the code that it was made of.
void checkKernels(const session::Compilation& program) {
    for (const elab::Kernel& kernel : program.elaboration.kernels) {
        if (kernel.builtin != ir::BuiltinStream::None) continue;
        const ir::StreamCode& code = kernel.code;
        for (const auto* body : {&code.prework, &code.work})
            if (*body) expectNone(ir::verify(program.module, &code, **body));
        for (const ir::Body& body : code.functions)
            expectNone(ir::verify(program.module, &code, body));
    }
}

}  // namespace

std::unique_ptr<session::Compilation> compileText(const std::uint8_t* data, std::size_t size,
                                                  session::Stage last) {
    auto program = std::make_unique<session::Compilation>();
    setSmallLimits(program->context.limits);
    program->context.lenient = size % 4 == 3;  // now and then; a text is always compiled alike
    session::Request request;
    request.sources = {{"fuzz.str", std::string(reinterpret_cast<const char*>(data), size)}};
    request.print = [](std::string_view) {};
    const session::Stage done = compile(*program, request, library(), last);
    STRC_ASSERT((done == last) != program->context.diags.hasErrors(),
                "a stage stopped without a word, or went on after an error");
    if (done >= session::Stage::Lowered) checkText(program->module);
    if (done >= session::Stage::Elaborated) checkKernels(*program);
    checkMessages(program->context);
    return program;
}

void checkMessages(base::Context& context) {
    context.diags.merge();
    for (const base::Diagnostic& message : context.diags.all()) {
        const base::SourceRange range = message.range;
        if (range.valid())
            STRC_ASSERT(
                range.begin <= range.end && range.end <= context.sources.text(range.buffer).size(),
                "a message outside of the text");
        STRC_ASSERT(!renderText(message, context.sources).empty(), "a message without text");
        STRC_ASSERT(!renderJson(message, context.sources).empty(), "a message without text");
    }
}

}  // namespace strc::fuzz
