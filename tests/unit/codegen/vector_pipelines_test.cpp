// Filters behind each other in vectors, whose items between them stay in columns.

#include <utility>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;

class VectorPipelines : public CompiledTest {
protected:
    /// A pipeline of these filters.
    void compileFilters(const std::vector<std::string>& filters, const std::string& type) {
        std::string all;
        for (const std::string& filter : filters)
            all += "add " + type + "->" + type + " filter { " + filter + " };\n";
        compile("void->void pipeline Main { add Count;\n" + all + "add Show; }\nvoid->" + type +
                " filter Count { int n; work push 1 { push((n * 37) % 101 - 50); n++; } }\n" +
                type + "->void filter Show { work pop 1 { println(pop()); } }\n");
    }
    /// Like interpreted, with faults; what the pass says of chains is `chains`.
    void expectSame(const std::string& chains) {
        program.context.passes.emitAfter(base::Pass::VectorisePipelines);
        lower();
        EXPECT_EQ(program.context.passes.emitted(), chains);
        const auto compiled = run(iterations(300));
        const std::string vertical = std::exchange(printed, "");
        const auto found = faults();
        const auto meant = interpret(iterations(300));
        EXPECT_EQ(compiled.end, meant.end);
        EXPECT_EQ(vertical, printed);
        const auto all = faults();
        EXPECT_EQ(all, found.empty() ? found : std::vector<std::string>(2, found[0]));
        printed.clear();
    }
};

/// So many items of each firing, some of them twice, without a loop.
std::string mixing(int pop, int push) {
    std::string body = "work pop " + std::to_string(pop) + " push " + std::to_string(push) + " { ";
    for (int k = 0; k < push; ++k)
        body += "push(peek(" + std::to_string(k % pop) + ") * " + std::to_string(k + 2) +
                " - peek(" + std::to_string(pop - 1) + ")); ";
    for (int k = 0; k < pop; ++k) body += "pop(); ";
    return body + "}";
}

TEST_F(VectorPipelines, OfEveryTypeAndRate) {
    for (const auto& [type, lanes, bytes] :
         {std::tuple("int", 16, 12 * 16 * 4), std::tuple("float", 16, 12 * 16 * 4),
          std::tuple("double", 8, 12 * 8 * 8)}) {
        compileFilters({mixing(4, 6), mixing(3, 3), mixing(12, 1)}, type);
        expectSame("; vectorise-pipelines: 3 filters from filter.work\n" + std::to_string(lanes) +
                   " lanes, " + std::to_string(bytes) +
                   " bytes\n  2 x filter.work\n  4 x filter.work.1\n  1 x filter.work.2\n");
    }
}

TEST_F(VectorPipelines, TheLastOneFiresOften) {
    compileFilters({mixing(2, 9), mixing(3, 2)}, "float");
    expectSame(
        "; vectorise-pipelines: 2 filters from filter.work\n16 lanes, 576 bytes\n"
        "  1 x filter.work\n  3 x filter.work.1\n");
}

TEST_F(VectorPipelines, SingleItems) {
    const std::string square = "work pop 1 push 1 { float x = pop(); push(x * x + 1); }";
    compileFilters({square, square, square}, "float");
    expectSame(
        "; vectorise-pipelines: 3 filters from filter.work\n16 lanes, 64 bytes\n"
        "  1 x filter.work\n  1 x filter.work.1\n  1 x filter.work.2\n");
}

TEST_F(VectorPipelines, TheFirstOneMayLookAhead) {
    const std::string ahead =
        "work pop 3 push 2 peek 7 { push(peek(6) + peek(0)); push(peek(3)); pop(); pop(); pop(); }";
    compileFilters({ahead, mixing(2, 2), ahead}, "float");
    expectSame(
        "; vectorise-pipelines: 2 filters from filter.work\n16 lanes, 216 bytes\n"
        "  1 x filter.work\n  1 x filter.work.1\n");
}

/// What windows look back at waits in columns in front of the strip, and on the tape from phase to phase.
TEST_F(VectorPipelines, TheOthersMayLookBack) {
    const std::string look =
        "work pop 2 push 2 peek 6 { push(peek(5) + peek(0)); push(peek(2) * 3); pop(); pop(); }";
    const std::string sum = "work pop 1 push 1 peek 20 { push(peek(19) - peek(3)); pop(); }";
    for (const std::string type : {"float", "int", "double"}) {
        compileFilters({mixing(2, 2), look, look, mixing(2, 2)}, type);
        expectSame(type == "double"
                       ? "; vectorise-pipelines: 4 filters from filter.work\n8 lanes, "
                         "160 bytes\n  1 x filter.work\n  1 x filter.work.1\n  1 x "
                         "filter.work.2\n  1 x filter.work.3\n"
                       : "; vectorise-pipelines: 4 filters from filter.work\n16 lanes, "
                         "144 bytes\n  1 x filter.work\n  1 x filter.work.1\n  1 x "
                         "filter.work.2\n  1 x filter.work.3\n");
    }
    compileFilters({sum, sum}, "float");
    expectSame("");
}

/// Strips that give up are done on the tapes, and those behind them find there what they look back at.
TEST_F(VectorPipelines, StripsThatGiveUp) {
    const std::string look =
        "float[420] t; work pop 2 push 2 peek 6 { float s = t[(int)peek(1) + 50]; push(s + "
        "peek(5)); "
        "pop(); push(pop()); }";
    for (const char* first : {"50", "190"}) {
        std::string checked = look;
        checked.replace(checked.find("50"), 2, first);
        compileFilters({mixing(2, 2), checked, checked}, "float");
        expectSame(
            "; vectorise-pipelines: 3 filters from filter.work\n16 lanes, 144 bytes\n"
            "  1 x filter.work\n  1 x filter.work.1\n  1 x filter.work.2\n");
    }
}

/// Real and imaginary parts have columns of their own.
TEST_F(VectorPipelines, OfComplexItems) {
    auto compileTurns = [this](const std::string& turns, const std::string& more = "") {
        compile("void->void pipeline Main { add Count; " + turns +
                "add Show; }\n"
                "void->complex filter Count { int n; work push 1 { complex z; z.real = n % 17; "
                "z.imag = 3 - n "
                "% 5; n++; push(z); } }\n"
                "complex->complex filter Turn(int n) { work pop n push n { complex w; w.imag = 1; "
                "for (int k = "
                "0; k < n; k++) { if (peek(k).real > 5) push(peek(n - 1 - k) * w); else "
                "push(peek(k) + w); } "
                "for (int k = 0; k < n; k++) pop(); } }\n"
                "complex->void filter Show { work pop 1 { println(pop()); } }\n" +
                more);
    };
    compileTurns(
        "add Turn(2); add Back; add Back; ",
        "complex->complex filter Back { work pop 2 push 2 peek 6 { push(peek(5) - peek(1)); "
        "push(peek(2) * peek(0)); pop(); pop(); } }\n");
    expectSame(
        "; vectorise-pipelines: 3 filters from Turn.work\n8 lanes, 160 bytes\n  1 x Turn.work\n"
        "  1 x Back.work\n  1 x Back.work\n");
    compileTurns("add Turn(1); add Turn(1); ");
    expectSame("");
    compileTurns("add Turn(1); add Turn(1); add Turn(2); ");
    expectSame(
        "; vectorise-pipelines: 3 filters from Turn.work\n16 lanes, 256 bytes\n  2 x Turn.work\n"
        "  2 x Turn.work\n  1 x Turn.work.1\n");
    compileTurns("add Turn(2); add Turn(4); add Turn(2); ");
    expectSame(
        "; vectorise-pipelines: 3 filters from Turn.work\n16 lanes, 512 bytes\n  2 x Turn.work\n"
        "  1 x Turn.work.1\n  2 x Turn.work\n");
}

/// Lanes give up: the firings are done one by one, and the others go on.
TEST_F(VectorPipelines, ChecksThatFail) {
    const std::string some =
        "float[400] t; work pop 2 push 2 { float s = t[(int)peek(1) + 50]; push(s + pop()); "
        "push(pop()); }";
    const std::string chain =
        "; vectorise-pipelines: 2 filters from filter.work\n16 lanes, 128 bytes\n"
        "  1 x filter.work\n  1 x filter.work.1\n";
    compileFilters({mixing(2, 2), some}, "float");
    expectSame(chain);
    std::string fine = some;
    compileFilters({mixing(2, 2), fine.replace(fine.find("50"), 2, "190")}, "float");
    expectSame(chain);
}

TEST_F(VectorPipelines, NotBehindWhatIsReadTwiceOrHasState) {
    compile(
        "void->void pipeline Main { add Count; add Half; add splitjoin { split duplicate; add "
        "Half; "
        "add Half; join roundrobin; }; add Show; }\n"
        "void->float filter Count { int n; work push 1 { push((n * 37) % 101 - 50); n++; } }\n"
        "float->float filter Half { work pop 2 push 1 { push(pop() / 2 + pop()); } }\n"
        "float->void filter Show { work pop 1 { println(pop()); } }\n");
    expectSame("");
    compileFilters({mixing(2, 2), "float s; work pop 1 push 1 { s += pop(); push(s); }"}, "float");
    expectSame("");
}

TEST_F(VectorPipelines, CanBeSwitchedOff) {
    disabled = {base::Pass::VectorisePipelines};
    compileFilters({mixing(4, 6), mixing(3, 3)}, "float");
    expectSame("");
    EXPECT_THAT(codegen::printLlvm(lower()), ::testing::Not(HasSubstr(".columns(")));
}

}  // namespace
}  // namespace strc::testing
