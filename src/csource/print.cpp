#include "csource/print.h"

#include <algorithm>

#include <fmt/format.h>

#include "csource/detail/source.h"
#include "ir/calls.h"
#include "ir/scalarise.h"

namespace strc::csource {
namespace {

using ir::Op;
using types::TypeKind;

constexpr std::string_view kTop =
    R"C(/* {0}: a stream program as C source, made by `strc build --emit=c`.
 *
 * This file is all of it: it needs a C11 compiler, and the mathematical functions of its library. A program that uses it includes
 * the header beside it, or declares the functions as they stand below.
 *
 *     cc -std=c11 -O2 -c FILE.c
 *
 * Options that change the results of floats (-ffast-math) are refused. -fno-math-errno makes it faster.
 * -D{0}_HANDLES=N: so many handles {0}_create has; others lie in memory of the caller's ({0}_make).
 */
#if defined(__FAST_MATH__)
#error "results would differ: compile without -ffast-math"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "results would differ: floats have to be computed as floats (-msse2 -mfpmath=sse)"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#else
#pragma STDC FP_CONTRACT OFF
#endif

)C";

constexpr std::string_view kRandom = R"(/* Uniform in [0, 1). */
static double {0}_random({0}_handle *self) {{
    uint64_t number = 0;
    for (int bits = 26; bits <= 27; ++bits) {{
        self->random = (self->random * UINT64_C(0x5DEECE66D) + 0xB) & UINT64_C(0xFFFFFFFFFFFF);
        number = (number << bits) + (self->random >> (48 - bits));
    }}
    return (double)number / 9007199254740992.0;
}}

)";

std::string whyNotInstr(const ir::Instr& instr) {
    if (ir::readsFile(instr.op)) return "a filter reads an array while it runs";
    if (instr.op == Op::Declare && !instr.operands.empty())
        return "the size of an array is known only while it runs, and C source has no memory for "
               "that";
    if (instr.op == Op::Send) return "it sends messages";
    return {};
}

bool takesTensors(const ir::Native& native) {
    return types::isTensor(native.result) ||
           std::any_of(native.params.begin(), native.params.end(), types::isTensor);
}

std::string whyNotBody(const ir::Module& module, const ir::Body& body, base::SourceRange& range) {
    for (const ir::Block& block : body.blocks)
        for (const ir::Instr& instr : block.instrs) {
            range = instr.range;
            if (std::string why = whyNotInstr(instr); !why.empty()) return why;
            const bool isNative =
                instr.op == Op::Call && instr.callee.kind == ir::CalleeKind::Native;
            if (isNative && takesTensors(module.natives[instr.callee.index]))
                return "a native function takes tensors";
        }
    range = {};
    return {};
}

}  // namespace

bool isOneFilter(const elab::Elaboration& program) {
    const graph::Graph& graph = program.graph;
    return graph.nodes.size() == 1 && graph.nodes[0].kernel != graph::kNone &&
           program.kernels[graph.nodes[0].kernel].code.work.has_value();
}

std::string whyNot(const ir::Module& module, const elab::Elaboration& program,
                   base::SourceRange& range) {
    const graph::Graph& graph = program.graph;
    const elab::Kernel& kernel = program.kernels[graph.nodes[0].kernel];
    range = kernel.code.header;
    if (ir::hasLanes(*kernel.code.work)) return "it is done in vectors";
    for (const ir::Body* body : ir::bodiesThatRun(module, kernel.code))
        if (std::string why = whyNotBody(module, *body, range); !why.empty()) return why;
    range = {};
    return {};
}

std::string print(const Program& program) {
    Source source(program);
    const Functions functions(program, source.kernel, source.proofs, source.names);
    bool fails = false;
    std::string prototypes, bodies;
    for (const auto& function : functions.all()) {
        const Definition made = printFunction(source, functions, *function);
        fails = fails || function->fails;
        if (function->isRecursive) prototypes += made.prototype;
        bodies += made.text + "\n";
    }
    // Everything else is printed first, since it may need more helpers, types and tables.
    const std::string interface = printInterface(source, functions);
    const std::string handle = printHandle(source, functions);
    const std::string complexName = source.own("item_complex");
    const std::string helpers = source.helpers.text(complexName);
    std::string natives;
    for (const std::string& each : source.prototypes()) natives += each;
    std::string text = fmt::format(fmt::runtime(kTop), program.mainStream) + program.header;
    text += std::string("\n#include <string.h>\n") + "#include <math.h>\n\n";
    text += source.types.text + (source.types.text.empty() ? "" : "\n");
    text += handle + "\n" + helpers + natives + (natives.empty() ? "" : "\n");
    text += source.tables() + (source.tables().empty() ? "" : "\n");
    if (fails) text += printFaults(source);
    text += printRefusal(source);
    if (source.helpers.needsRandom())
        text += fmt::format(fmt::runtime(kRandom), program.mainStream);
    return text + prototypes + (prototypes.empty() ? "" : "\n") + bodies + interface + "\n" +
           printStates(source, functions, handle);
}

}  // namespace strc::csource
