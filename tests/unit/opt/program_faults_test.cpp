// Wrong versions of the passes over programs (unit/opt/faults.h): what they make is refused, or prints something else.
#include <cstring>
#include <functional>

#include <gmock/gmock.h>

#include "ir/text.h"
#include "opt/registry.h"
#include "pass/run.h"
#include "pass/verify.h"
#include "unit/opt/compared_runs.h"
#include "unit/opt/faults.h"

namespace strc::faults {
namespace {

using base::Pass;

/// Breaks what the pass has made.
using Break = std::function<void(elab::Elaboration&, graph::Repetitions&)>;

struct ProgramFault {
    Pass pass;
    std::string text;  ///< a program on which the pass has something to do
    Break wrong;
    std::vector<Pass> without = {};  ///< that would have it done before
    std::int64_t steady = 40;  ///< steady states that are compared
    std::optional<Pass> within =
        {};  ///< the pass that decides on it; none: it has a function of its own
};
void PrintTo(const ProgramFault& fault, std::ostream* out) { *out << base::info(fault.pass).name; }

graph::NodeId findNode(const elab::Elaboration& program, const std::string& name) {
    for (graph::NodeId id = 0; id < program.graph.nodes.size(); ++id)
        if (program.graph.nodes[id].name == name) return id;
    std::string names;
    for (const graph::Node& node : program.graph.nodes) names += " " + node.name;
    ADD_FAILURE() << "there is no " << name << " among" << names;
    return 0;
}
elab::Kernel& kernelAt(elab::Elaboration& program, const std::string& name) {
    return program.kernels[program.graph.nodes[findNode(program, name)].kernel];
}
/// The first instruction of the node's code for which `is` holds.
ir::Instr& findInstr(elab::Elaboration& program, const std::string& name,
                     const std::function<bool(const ir::Instr&)>& is) {
    elab::Kernel& kernel = kernelAt(program, name);
    ir::Body& body = kernel.blocks ? kernel.blocks->work : *kernel.code.work;
    for (ir::Block& block : body.blocks)
        for (ir::Instr& instr : block.instrs)
            if (is(instr)) return instr;
    ADD_FAILURE() << "there is no such instruction in\n" << ir::print(body);
    return body.blocks[0].instrs[0];
}

/// An operation is another one.
Break otherOp(const std::string& name, ir::Op from, ir::Op to) {
    return [=](elab::Elaboration& program, graph::Repetitions&) {
        findInstr(program, name, [&](const ir::Instr& instr) { return instr.op == from; }).op = to;
    };
}
/// The operands of an operation change places.
Break turnedOperands(const std::string& name, ir::Op op) {
    return [=](elab::Elaboration& program, graph::Repetitions&) {
        ir::Instr& instr =
            findInstr(program, name, [&](const ir::Instr& each) { return each.op == op; });
        std::reverse(instr.operands.begin(), instr.operands.end());
    };
}
/// A number of the code is another one.
Break otherConstant(const std::string& name, std::int32_t from, std::int32_t to) {
    return [=](elab::Elaboration& program, graph::Repetitions&) {
        ir::Instr& instr = findInstr(program, name, [&](const ir::Instr& each) {
            return each.op == ir::Op::Const && each.type->is(types::TypeKind::Int) &&
                   each.value.toInt() == from;
        });
        std::memcpy(instr.value.bytes.data(), &to, sizeof to);
    };
}
/// A number of a sum of products is another one (ir/contraction.h).
Break otherContraction(const std::string& name, std::int32_t from, std::int32_t to) {
    return [=](elab::Elaboration& program, graph::Repetitions&) {
        std::string& bytes = findInstr(program, name, [&](const ir::Instr& each) {
                                 return each.op == ir::Op::Contract;
                             }).value.bytes;
        const std::string number(reinterpret_cast<const char*>(&from), sizeof from);
        const std::size_t at = bytes.find(number);
        ASSERT_NE(at, std::string::npos);
        std::memcpy(bytes.data() + at, &to, sizeof to);
    };
}
/// A node fires twice as often as it has to.
Break otherQuota(const std::string& name) {
    return [=](elab::Elaboration& program, graph::Repetitions& repetitions) {
        repetitions.steady[findNode(program, name)] *= 2;
    };
}
/// The first item that waits for the node is another one.
Break otherFirstItem(const std::string& name) {
    return [=](elab::Elaboration& program, graph::Repetitions&) {
        graph::Edge& edge =
            program.graph.edges[program.graph.nodes[findNode(program, name)].inputs[0]];
        ASSERT_FALSE(edge.initial.empty());
        ++edge.initial[0].bytes[0];
    };
}

const std::string kOnInts =
    "void->int filter Count { int n; work push 1 { push(n * n % 1009 + n); n++; } }\n"
    "int->void filter Show { work pop 1 { println(pop()); } }\n";
std::string ofInts(const std::string& middle, const std::string& filters) {
    return "void->void pipeline Main { add Count; " + middle + " add Show; }\n" + kOnInts + filters;
}
std::string ofFloats(const std::string& middle, const std::string& filters) {
    return "void->void pipeline Main { add Count; " + middle +
           " add Show; }\n"
           "void->float filter Count { int n; work push 1 { push((n * 37 % 101 - 50) / 7.0); n++; "
           "} }\n"
           "float->void filter Show { work pop 1 { println(pop()); } }\n" +
           filters;
}
/// Tensors of `shape`, which has `count` elements.
std::string ofTensors(const std::string& shape, int count, const std::string& middle) {
    return "void->void pipeline Main { add Count; " + middle +
           " add Show; }\n"
           "void->tensor filter Count { int n; work push 1 { tensor<float> x = 1.0 * arange(" +
           std::to_string(count) + ");\n n++; push(reshape(x - (n + 4) * floor(x / (n + 4)) - 2, " +
           shape +
           ")); } }\n"
           "tensor->void filter Show { work pop 1 { tensor x = pop(); println(sum(x, -1)); "
           "println(amax(x, -1)); } }\n"
           "tensor->tensor filter Scale(float by) { work pop 1 push 1 { push(pop() * by); } }\n"
           "tensor->tensor filter Product { tensor<float>[3, 4] m; init { m = reshape(1.0 * "
           "arange(12) - 4, 3, 4); } work pop 1 push 1 { push(matmul(pop(), m)); } }\n"
           "tensor->tensor filter Conv(int in, int out, int k = 1, int edge = 0, int groups = 1) "
           "{\n"
           "  tensor<float>[out, in / groups, k, k] w; tensor<float>[out, 1, 1] b;\n"
           "  init { tensor<float> a = 1.0 * arange(out * (in / groups) * k * k);\n"
           "    w = reshape(a - 7 * floor(a / 7) - 3, out, in / groups, k, k);\n"
           "    b = reshape(1.0 * arange(out), out, 1, 1); }\n"
           "  work pop 1 push 1 { tensor x = pop();\n"
           "    if (edge > 0) x = pad(pad(x, -2, edge, edge), -1, edge, edge);\n"
           "    push(conv(x, w, 1, 1, 1, 1, groups) + b); } }\n"
           "tensor->tensor pipeline Block(int in, int out, int k = 1, int edge = 0) { add Conv(in, "
           "out, k, edge); add relu6; }\n";
}

std::vector<ProgramFault> programFaults() {
    return {
        {Pass::AttentionBlocks,
         ofTensors("2, 3, 4", 24,
                   "add tensor->tensor filter { work pop 1 push 1 { tensor x = pop(); "
                   "push(attention(x, x, x, 0)); } }; add Scale(0.5);"),
         otherContraction("filter+Scale", 4, 3),
         {},
         40,
         Pass::FuseTensors},
        {Pass::LinearCombination,
         ofInts("add Gain(3); add Gain(5);",
                "int->int filter Gain(int k) { work pop 1 push 1 { push(k * pop()); } }\n"),
         otherConstant("Gain+Gain", 15, 14)},
        {Pass::Frequency,
         ofFloats("add Fir(300);",
                  "float->float filter Fir(int n) { float[n] h; init { for (int i = 0; i < n; i++) "
                  "h[i] = sin(0.7 * i + 1) * (n - i) / n; } work pop 1 peek n push 1 { float sum = "
                  "0; for (int i = 0; i < n; i++) sum += h[i] * peek(i); push(sum); pop(); } }\n"),
         otherOp("Fir", ir::Op::Sub, ir::Op::Add),
         {},
         4000},
        {Pass::FuseTensors, ofTensors("2, 3", 6, "add Product; add relu; add Scale(0.5);"),
         otherOp("Product+relu+Scale", ir::Op::Mul, ir::Op::Add)},
        {Pass::FuseResiduals,
         ofTensors("1, 8, 6, 6", 288,
                   "add splitjoin { split duplicate; add pipeline { add Conv(8, 8, 3, 1); add "
                   "relu; add Conv(8, 8, 3, 1); }; add Identity<tensor>; join "
                   "roundrobin; }; add add(); add relu;"),
         otherContraction("splitjoin+add+relu", 0x7f800000, 0x3f800000),
         {},
         40,
         Pass::FuseTensors},
        {Pass::FusePadding,
         ofTensors("1, 8, 6, 6", 288, "add Conv(8, 16); add relu6; add Conv(16, 8, 3, 1, 8);"),
         otherContraction("Conv+relu6+Conv", 9, 8),
         {},
         40,
         Pass::FuseTensors},
        {Pass::LayoutPropagation,
         ofTensors("1, 64, 7, 7", 3136,
                   "add Block(64, 64); add Block(64, 64); add Block(64, 64); add Block(64, 64);"),
         otherContraction("Block", 448, 447),
         {},
         3,
         Pass::FuseTensors},
        {Pass::ImageBlocking,
         ofTensors("3, 32, 60, 60", 345600,
                   "add Conv(32, 32); add relu6; add Conv(32, 32, 3, 1, 32); add relu6;"),
         otherConstant("Conv+relu6+Conv+relu6", 3, 2),
         {},
         1,
         Pass::FuseTensors},
        {Pass::FuseEpilogues,
         ofTensors("2, 3", 6, "add Product; add relu;"),
         otherContraction("Product+relu", 0x7f800000, 0x3f800000),
         {},
         40,
         Pass::FuseTensors},
        {Pass::RemoveReinterpretCasts,
         ofFloats("add frame({4, 8}); add Twice; add unframe({4, 8});",
                  "tensor->tensor filter Twice { work pop 1 push 1 { push(pop() * 2); } }\n"),
         otherQuota("Twice")},
        {Pass::DelaysToWindows,
         ofInts("add F;",
                "int->int stateful filter F { int last = 5; work pop 1 push 1 { int x = pop(); "
                "push(x - last); last = x; } }\n"),
         otherFirstItem("F")},
        {Pass::MergeBranches,
         ofInts("add splitjoin { split roundrobin(4); for (int k = 0; k < 3; k++) add Branch; join "
                "roundrobin(4); };",
                "int->int pipeline Branch { add Mix; add Mix; }\n"
                "int->int filter Mix { work pop 2 push 2 { int x = pop(); push(pop() - 3 * x); "
                "push(x); } }\n"),
         otherQuota("Mix")},
        {Pass::HorizontalFusion,
         ofInts("add splitjoin { split roundrobin; for (int k = 0; k < 3; k++) add Less; join "
                "roundrobin; };",
                "int->int filter Less { work pop 1 push 1 { push(pop() - 7); } }\n"),
         turnedOperands("splitjoin", ir::Op::Sub),
         {Pass::MergeBranches}},
        {Pass::VectoriseSplitjoins,
         ofFloats("add splitjoin { split duplicate; for (int k = 0; k < 8; k++) add Section(0.1 * "
                  "k, 0.01 * k); join roundrobin; };",
                  "float->float stateful filter Section(float a, float b) { float y; float before; "
                  "work pop 1 push 1 { float x = pop(); y = x + a * before - b * y; before = x; "
                  "push(y); } }\n"),
         turnedOperands("splitjoin", ir::Op::Sub)},
    };
}

class ProgramFaults : public FaultTest, public ::testing::WithParamInterface<ProgramFault> {
protected:
    static const pass::Row& rowOfPass() {
        const Pass pass = GetParam().within.value_or(GetParam().pass);
        return opt::passTable()[static_cast<std::size_t>(pass)];
    }

    pass::Program afterThePass() {
        compileTo(session::Stage::Scheduled, GetParam().text, GetParam().without);
        const pass::Context context{program.context, program.module, *program.program.types,
                                    *request.optimise, request.target};
        const pass::Row& row = rowOfPass();
        auto made = pass::runPasses(
            context, pass::borrow(program.compiledForm(), program.repetitions), {&row, 1});
        stopNoting();
        EXPECT_TRUE(made && isApplied(GetParam().pass)) << "it has something to do";
        return made.value_or(pass::borrow(program.compiledForm(), program.repetitions));
    }
    pass::Program afterTheWrongPass() {
        pass::Program made = afterThePass();
        elab::Elaboration broken = *made.elaboration;
        graph::Repetitions repetitions = made.repetitions;
        GetParam().wrong(broken, repetitions);
        return pass::with(made, std::move(broken), std::move(repetitions));
    }

    /// What the program prints that a pass has made, or why it is not well formed.
    std::string outputOf(pass::Program made) {
        const std::vector<std::string> found = pass::verify(program.module, made);
        if (!found.empty()) return found.front();
        program.optimised = std::move(made);
        const auto schedule =
            sched::schedule(program.context, program.optimised->graph(),
                            program.optimised->repetitions, sched::Order::Buffers);
        if (!schedule) return "there is no schedule";
        program.plan = plan::plan(program.context, program.plannedProgram(), program.plannedQuota(),
                                  *schedule);
        return compiled(GetParam().steady);
    }
};

TEST_P(ProgramFaults, AreFound) {
    compileTo(session::Stage::Scheduled, GetParam().text, {GetParam().pass});
    stopNoting();
    const std::string before = interpreted(GetParam().steady);
    const std::string right = outputOf(afterThePass());
    EXPECT_FALSE(numbersOf(before).empty());
    EXPECT_PRED2(areNear, right, before);
    const std::string wrong = outputOf(afterTheWrongPass());
    EXPECT_FALSE(areNear(wrong, before)) << wrong.substr(0, 1000);
}

INSTANTIATE_TEST_SUITE_P(Rows, ProgramFaults, ::testing::ValuesIn(programFaults()),
                         [](const auto& each) { return testName(each); });

}  // namespace

std::vector<Pass> ofPrograms() { return passesOf(programFaults()); }

}  // namespace strc::faults
