// Readers of one tape whose windows are transposed once for all of them.

#include <utility>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SharedWindows : public CompiledTest {
protected:
    /// A splitjoin of these filters, which read the same tape.
    void compileReaders(const std::vector<std::string>& filters, const std::string& type) {
        std::string branches;
        for (const std::string& filter : filters)
            branches += "add " + type + "->" + type + " filter { " + filter + " };\n";
        compile(
            "void->void pipeline Main { add Count; add splitjoin { split duplicate;\n" + branches +
            "join roundrobin; }; add Show; }\n"
            "void->" +
            type + " filter Count { int n; work push 1 { push((n * 37) % 101 - 50); n++; } }\n" +
            type + "->void filter Show { work pop 1 { println(pop()); } }\n");
    }
    /// Like interpreted, with faults; `turns` windows are transposed.
    void expectSame(const std::vector<std::string>& filters, std::size_t turns,
                    const std::string& type = "float") {
        compileReaders(filters, type);
        EXPECT_EQ(turnsOf(codegen::printLlvm(lower())), turns);
        const auto compiled = run(iterations(1000));
        const std::string shared = std::exchange(printed, "");
        const auto found = faults();
        const auto meant = interpret(iterations(1000));
        EXPECT_EQ(compiled.end, meant.end);
        EXPECT_EQ(shared, printed);
        const auto all = faults();
        EXPECT_EQ(all, found.empty() ? found : std::vector<std::string>(2, found[0]));
        printed.clear();
    }
    static std::size_t turnsOf(const std::string& code) {
        std::size_t count = 0;
        for (std::size_t at = 0; (at = code.find(".turn(", at + 1)) != std::string::npos;)
            count += code.compare(code.rfind('\n', at) + 1, 7, "  call ") == 0 ? 1 : 0;
        return count;
    }
};

const std::string kSum =
    "work pop 24 push 1 { float s = 0; for (int i = 0; i < 24; i++) s += pop() * (i + K); push(s); "
    "}";

std::string sum(const std::string& k) {
    std::string filter = kSum;
    return filter.replace(filter.find('K'), 1, k);
}

TEST_F(SharedWindows, OfEveryType) {
    for (const char* type : {"int", "double", "complex"}) {
        auto filter = [&](const char* k) {
            return std::string("work pop 9 peek 20 push 2 { ") + type +
                   " s = 0; for (int i = 0; i < 20; i++) s += peek(i) * (i - " + k +
                   "); push(s); for (int i = 0; i < 9; i++) s += pop(); push(s); }";
        };
        expectSame({filter("1"), filter("7"), filter("11")}, 1, type);
    }
}

TEST_F(SharedWindows, OfTheSameRatesAlone) {
    expectSame({sum("1"), sum("2"),
                "work pop 24 peek 25 push 1 { float s = peek(24) / 3; for (int i = 0; i < 24; i++)"
                " s += pop(); push(s); }"},
               1);
}

/// What lies behind each reader comes between them in the order of the schedule.
TEST_F(SharedWindows, ReadersInPipelines) {
    compile(
        "void->void pipeline Main { add Count; add splitjoin { split duplicate;\n"
        "for (int i = 0; i < 3; i++) add pipeline { add float->float filter { " +
        sum("i") +
        " }; add float->float filter { work pop 1 push 2 { push(peek(0)); push(-pop()); } }; };\n"
        "join roundrobin; }; add Show; }\n"
        "void->float filter Count { int n; work push 1 { push((n * 37) % 101 - 50); n++; } }\n"
        "float->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_EQ(turnsOf(codegen::printLlvm(lower())), 1u);
    run(iterations(500));
    const std::string shared = std::exchange(printed, "");
    interpret(iterations(500));
    EXPECT_EQ(shared, printed);
}

/// The lanes of one give up, the others go on.
TEST_F(SharedWindows, ChecksThatFail) {
    const std::string some =
        "float[400] t; work pop 24 push 1 { float s = t[(int)peek(3) + 60]; for (int i = 0; i < "
        "24; i++) s += peek(i); for (int i = 0; i < 24; i++) pop(); push(s); }";
    expectSame({sum("1"), some, sum("2")}, 1);
    std::string broken = some;
    expectSame({sum("1"), broken.replace(broken.find("60"), 2, "49"), sum("2")}, 1);
}

TEST_F(SharedWindows, PlacesOfTheirOwn) {
    const std::string far =
        "work pop 24 push 1 { float s = peek(((int)peek(2) & 15) + 3); for (int i = 0; i < 24; i++)"
        " pop(); push(s); }";
    expectSame({far, far, sum("3")}, 0);
}

TEST_F(SharedWindows, CanBeSwitchedOff) {
    disabled = {base::Pass::ShareTransposes};
    expectSame({sum("1"), sum("2")}, 0);
}

}  // namespace
}  // namespace strc::testing
