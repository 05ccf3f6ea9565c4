// Wrong versions of the steps of code generation (unit/opt/faults.h): LLVM's text of what they make is changed, and the program
// prints something else then, or ends otherwise.
#include <functional>

#include <gmock/gmock.h>

#include "codegen/detail/module_builder.h"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>
#pragma GCC diagnostic pop
#include "unit/opt/compared_runs.h"
#include "unit/opt/faults.h"

namespace strc::faults {
namespace {

using base::Pass;

struct CodeFault {
    Pass pass;
    std::string text;  ///< a program on which the pass has something to do
    std::string function;  ///< with whose name the line of its definition goes on
    std::string from,
        to;  ///< a regular expression, the first match from there on, and what stands there instead
    std::int64_t steady = 3000;  ///< steady states that are compared
};
void PrintTo(const CodeFault& fault, std::ostream* out) { *out << base::info(fault.pass).name; }

std::string ofItems(const std::string& type, const std::string& middle,
                    const std::string& filters = "") {
    return "void->void pipeline Main { add Count; " + middle + " add Show; }\nvoid->" + type +
           " filter Count { int n; work push 1 { push((n * 37) % 101 - 50); n++; } }\n" + type +
           "->void filter Show { work pop 1 { println(pop()); } }\n" + filters;
}
/// Tensors of `shape`, which has `count` elements, with numbers without rounding errors.
std::string ofTensors(int count, const std::string& shape, const std::string& filter) {
    return "void->void pipeline Main { add Count; add F; add Show; }\n"
           "void->tensor filter Count { int n; work push 1 { n++; tensor<float> a = 1.0 * arange(" +
           std::to_string(count) + "); push(reshape(a - (n + 4) * floor(a / (n + 4)), " + shape +
           ")); } }\n"
           "tensor->void filter Show { work pop 1 { tensor x = pop(); println(sum(x, 0)); "
           "println(sum(x, 1)); } }\n"
           "tensor->tensor filter F { " +
           filter + " }\n";
}
/// Weights of rows x columns.
std::string weights(int rows, int columns) {
    const std::string r = std::to_string(rows), c = std::to_string(columns);
    return "tensor<float>[" + r + ", " + c + "] w; init { tensor<float> b = 1.0 * arange(" + r +
           " * " + c + "); w = reshape(b - 5 * floor(b / 5) - 2, " + r + ", " + c + "); } ";
}

const std::string kRows =
    "void->void pipeline Main { add Rows; add Half; add Sums; }\n"
    "void->float[8] filter Rows { int n; work push 1 { float[8] row; for (int k = 0; k < 8; k++) "
    "row[k] = k * 0.25 + n; n++; push(row); } }\n"
    "float[8]->float[8] filter Half { work pop 1 push 1 { float[8] row = pop(); for (int k = 0; k "
    "< 8; k++) row[k] = row[k] / 2; push(row); } }\n"
    "float[8]->void filter Sums { work pop 1 { float[8] row = pop(); float sum = 0; for (int k = "
    "0; k < 8; k++) sum += k * row[k]; println(sum); } }\n";
const std::string kMultiply =
    "int->int filter F { int s; work pop 1 push 1 { s = s * 7 + pop(); push(s); } }\n";
const std::string kSums =
    "float->float filter Sum(int k) { work pop 24 push 1 { float s = 0; for (int i = 0; i < 24; "
    "i++) s += pop() * (i + k); push(s); } }\n";
const std::string kMix =
    "float->float filter Three { work pop 2 push 3 { push(peek(0) * 2); push(peek(1) * 3 - "
    "peek(0)); push(peek(1)); pop(); pop(); } }\n"
    "float->float filter One { work pop 3 push 1 { push(peek(0) * 2 - peek(1) - peek(2)); pop(); "
    "pop(); pop(); } }\n";
const std::string kState =
    "float->float filter F { float s; work pop 1 push 1 { s = 0.5 * s + pop(); push(s); } }\n";
const std::string kCorrelate =
    "float->float stateful filter F { float own; work pop 40 peek 100 push 32 { own++; for (int j "
    "= 0; j < 32; j++) { float s = 0; for (int k = 0; k < 68; k++) s += peek(k) * peek(k + j); "
    "push(s); } for (int i = 0; i < 40; i++) pop(); } }\n";
const std::string kBranch =
    "int->int filter F { work pop 8 push 8 { int[8] b; int n; for (int i = 0; i < 8; i++) { int x "
    "= pop(); if (x < 7) push(x); else { b[n] = x; n++; } } for (int i = 0; i < n; i++) "
    "push(b[i]); } }\n";

std::vector<CodeFault> codeFaults() {
    return {
        {Pass::Codegen, ofItems("int", "add F;", kMultiply), "F.work(", "mul i32 (%\\d+), 7",
         "mul i32 $1, 8"},
        // The check that has to stay is gone as well.
        {Pass::RateCheckElimination,
         ofItems("int", "add F;",
                 "int->int filter F { int n; work pop 1 push 1 { n++; int x = pop(); if (n != 30) "
                 "push(x); } }\n"),
         "F.work(", "icmp eq i64 (%\\d+), 1\n", "icmp eq i64 $1, $1\n", 40},
        // One more than the array has, which is the field behind it.
        {Pass::BoundsCheckElimination,
         ofItems("int", "add F;",
                 "int->int filter F { int[8] a; int n; work pop 1 push 1 { for (int i = 0; i < 8; "
                 "i++) a[i] += n + i; push(a[n] + pop()); n++; } }\n"),
         "F.work(", "icmp ult i32 (%\\d+), 8\n", "icmp ult i32 $1, 9\n", 40},
        // The last number of each array is that of before.
        {Pass::CopyElision, kRows, "Half.work(", "(memcpy.*, i64 )32,", "$0128,"},
        // The count goes on from another number.
        {Pass::SkipAhead,
         ofItems("int", "add F;", "int->int filter F { work pop 1 push 1 { push(pop()); } }\n"),
         "Count.work.lanes(", "add i32 (%\\d+), 16\n", "add i32 $1, 15\n"},
        {Pass::VectoriseFirings,
         ofItems("float", "add F;",
                 "float->float filter F { work pop 1 push 1 { push(pop() * 3 + 1); } }\n"),
         "F.work.lanes(", "fadd <", "fsub <"},
        // Firings change places.
        {Pass::ShareTransposes,
         ofItems("float",
                 "add splitjoin { split duplicate; add Sum(1); add Sum(2); join "
                 "roundrobin; };",
                 kSums),
         "Sum.work.turn(", "i64 24\n", "i64 48\n", 3000},
        {Pass::VectorisePipelines, ofItems("float", "add Three; add One;", kMix),
         "One.work.turned(", "fsub (<.*>) (%\\d+), (%\\d+)\n", "fsub $1 $3, $2\n"},
        // A field is not stored at the end of the loop.
        {Pass::ScalarReplacement, ofItems("float", "add F; add F;", kState), "scaled(",
         "call void @llvm.memcpy[^\n]*, ptr align 16 %own1, i64 4, i1 false\\)\n", ""},
        {Pass::VectoriseLoops, ofItems("float", "add F;", kCorrelate), "F.work(", "fadd <",
         "fsub <", 40},
        // A part of a tile is not stored.
        {Pass::RegisterTiling,
         ofTensors(48 * 64, "48, 64",
                   weights(64, 32) + "work pop 1 push 1 { push(matmul(pop(), w)); }"),
         "tile.f32", "store <8 x float> %\\d+, ptr %2, align 4\n", "", 3},
        // Where the next panel is fetched this one does not go on.
        {Pass::PrefetchPanels,
         ofTensors(
             128 * 512, "128, 512",
             weights(256, 512) + "work pop 1 push 1 { push(matmul(pop(), transpose(w, 0, 1))); }"),
         "tile.f32", "getelementptr inbounds float, ptr %1, i64 %\\d+\n",
         "getelementptr inbounds float, ptr %1, i64 0\n", 3},
        // Both halves of a vector get the numbers of one.
        {Pass::VectorMath,
         ofItems("float", "add F;",
                 "float->float filter F { work pop 1 push 1 { push(sin(pop())); } }\n"),
         "rounded.sin", "(call <4 x double> @_ZGVdN4v_sin\\(<4 x double> %)7\\)", "$014)"},
        {Pass::TensorMath,
         ofTensors(1000, "10, 100", "work pop 1 push 1 { tensor x = pop(); push(exp(x * 0.01)); }"),
         "relaxed.exp", "fadd float", "fsub float", 3},
        {Pass::IfConversion, ofItems("int", "add F;", kBranch), "F.work(",
         "(select i1 %\\d+), i32 (%\\d+), i32 (%\\d+)", "$1, i32 $3, i32 $2"},
        // The last part is left out.
        {Pass::ParallelProducts,
         ofTensors(256 * 256, "256, 256",
                   "work pop 1 push 1 { tensor a = pop(); push(matmul(a, a)); }"),
         "F.work(", "(call void @strc_share\\(.*, i64 )16\\)", "$0115)", 3},
        // Every other round is left out.
        {Pass::ParallelLoops,
         ofTensors(40 * 6000, "40, 6000", "work pop 1 push 1 { push(tanh(0.1 * pop())); }"),
         "F.work.rounds(", "(add nuw nsw i32 %\\d+, )1\n", "$012\n", 3},
        {Pass::Llvm, ofItems("int", "add F;", kMultiply), "scaled(", "(mul i32 %[a-z.0-9]+), 7",
         "$1, 8"},
    };
}

class CodeFaults : public FaultTest, public ::testing::WithParamInterface<CodeFault> {
protected:
    void SetUp() override {
        request.optimise = pass::Options{};
        processor = "x86-64-v3";  // the texts have its vectors
        if (!executes()) GTEST_SKIP() << "this machine cannot run it";
    }

    std::string outputOf(bool isBroken) {
        compileTo(session::Stage::Planned, GetParam().text);
        const codegen::Options options = forTestedProcessor({});
        codegen::Module module = lower(options);
        stopNoting();
        const bool isOptimised = GetParam().pass == Pass::Llvm;
        if (isBroken && !isOptimised) breakIn(module);
        codegen::optimize(module, options);
        if (isBroken && isOptimised) breakIn(module);
        return told(
            [&] { run(testing::iterations(GetParam().steady), std::move(module), options); });
    }
    static void breakIn(codegen::Module& module) {
        const std::string text = codegen::printLlvm(module);
        const std::regex definition("\ndefine [^\n]*@" + escaped(GetParam().function));
        std::smatch found;
        ASSERT_TRUE(std::regex_search(text, found, definition)) << text;
        const auto at = static_cast<std::size_t>(found.position());
        const std::string wrong =
            text.substr(0, at) + brokenText(text.substr(at), GetParam().from, GetParam().to);
        llvm::SMDiagnostic fault;
        module.impl->module = llvm::parseAssemblyString(wrong, fault, *module.impl->context);
        ASSERT_TRUE(module.impl->module) << fault.getMessage().str() << "\n" << wrong;
    }
    static std::string escaped(const std::string& name) {
        return std::regex_replace(name, std::regex("[.(]"), "\\$&");
    }
};

TEST_P(CodeFaults, AreFound) {
    const std::string right = outputOf(false);
    const bool isStage = base::info(GetParam().pass).kind == base::PassKind::Stage;
    EXPECT_TRUE(isStage || GetParam().pass == Pass::Llvm || isApplied(GetParam().pass))
        << "it has something to do";
    const std::string before = interpreted(GetParam().steady);
    EXPECT_FALSE(before.empty());
    EXPECT_PRED2(areNear, right, before);
    const std::string wrong = outputOf(true);
    EXPECT_FALSE(areNear(wrong, before)) << wrong.substr(0, 1000);
}

INSTANTIATE_TEST_SUITE_P(Rows, CodeFaults, ::testing::ValuesIn(codeFaults()),
                         [](const auto& each) { return testName(each); });

}  // namespace

std::vector<Pass> ofCode() { return passesOf(codeFaults()); }

}  // namespace strc::faults
