// Filters from the text of their code to C.
#include "csource/print.h"

#include <bit>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "csource/detail/literals.h"
#include "csource/detail/names.h"
#include "ir/text.h"

namespace strc::csource {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CSourceTest : public ::testing::Test {
protected:
    /// A program of one filter int->int, which pops and pushes so many items and may look at so many.
    void filter(const std::string& body, std::int64_t pop, std::int64_t push, std::int64_t peek) {
        auto made = ir::parse("filter P int->int {\n" + body + "}\n", types, context.names);
        ASSERT_TRUE(made) << made.error();
        module = std::move(*made);
        elab::Kernel kernel;
        kernel.stream = 0;
        kernel.input = kernel.output = types.intType();
        kernel.work = {graph::fixedRate(pop), graph::fixedRate(peek), graph::fixedRate(push)};
        kernel.code = module.streams[0];
        std::int64_t offset = 0;
        for (const ir::Variable& field : kernel.code.fields) {
            kernel.fieldTypes.push_back(field.type);
            kernel.fieldOffsets.push_back(offset);
            offset += types::sizeOf(field.type);
        }
        kernel.stateSize = offset;
        elaboration.kernels = {kernel};
        elaboration.states = {
            std::make_shared<const std::string>(static_cast<std::size_t>(offset), '\0')};
        graph::Node node;
        node.kernel = 0;
        node.name = "P";
        node.inputs = {0};
        node.outputs = {1};
        elaboration.graph.nodes = {node};
        elaboration.graph.edges.resize(2);
        elaboration.graph.edges[0].type = elaboration.graph.edges[1].type = types.intType();
        elaboration.graph.input = 0;
        elaboration.graph.output = 1;
    }

    /// A function of the printed file.
    std::string function(const std::string& name) {
        const std::string text = print({context, module, elaboration, "P", ""});
        const std::size_t begin = text.find("P_" + name + "(");
        const std::size_t line = text.rfind('\n', begin) + 1;
        return text.substr(line, text.find("\n}\n", begin) + 3 - line);
    }

    std::string whyNotPrinted() {
        base::SourceRange range;
        return whyNot(module, elaboration, range);
    }

    base::Context context;
    types::TypeTable types;
    ir::Module module;
    elab::Elaboration elaboration;
};

TEST_F(CSourceTest, OperationsThatAreUsedOnceArePartsOfExpressions) {
    filter(R"(    field sum: int
    work {
        %0: int = load field sum
        %1: int = pop
        %2: int = const 3
        %3: int = mul %1, %2
        %4: int = add %0, %3
        store<int> field sum, %4
        %5: int = load field sum
        push<int> %5
    }
)",
           1, 1, 1);
    EXPECT_EQ(function("work"),
              "static void P_work(P_handle *self, const P_in *in, P_out *out) {\n"
              "    self->sum = (int32_t)((uint32_t)self->sum + (uint32_t)in[0] * 3u);\n"
              "    out[0] = self->sum;\n"
              "}\n");
}

TEST_F(CSourceTest, WhatIsReadBeforeAChangeIsKept) {
    filter(R"(    field n: int
    work {
        %0: int = load field n
        %1: int = pop
        store<int> field n, %1
        push<int> %0
    }
)",
           1, 1, 1);
    EXPECT_THAT(function("work"), HasSubstr("    const int32_t t = self->n;\n"
                                            "    self->n = in[0];\n"
                                            "    out[0] = t;\n"));
}

TEST_F(CSourceTest, CountedLoopsAreForLoopsWhoseCountersDoNotOverflow) {
    filter(R"(    work {
        local s: int
        local i: int
        %0: int = const 0
        store<int> local s, %0
        %1: int = const 0
        store<int> local i, %1
        loop {
            %2: int = load local i
            %3: int = const 4
            %4: boolean = lt<int> %2, %3
            yield %4
        } do {
            %5: int = load local s
            %6: int = load local i
            %7: int = const 2
            %8: int = mul %6, %7
            %9: int = add %5, %8
            store<int> local s, %9
        } step {
            %10: int = load local i
            %11: int = const 1
            %12: int = add %10, %11
            store<int> local i, %12
        }
        discard<int>
        %13: int = load local s
        push<int> %13
    }
)",
           1, 1, 1);
    EXPECT_THAT(function("work"),
                HasSubstr("    for (int32_t i = 0; i < 4; ++i) {\n"
                          "        s = (int32_t)((uint32_t)s + (uint32_t)(i * 2));\n"
                          "    }\n"));
}

TEST_F(CSourceTest, WhatNobodyLooksAtIsNotPrinted) {
    filter(R"(    work {
        local x: int
        local y: int
        %0: int = pop
        store<int> local x, %0
        %1: int = load local x
        store<int> local y, %1
        %2: int = const 7
        push<int> %2
    }
)",
           1, 1, 1);
    const std::string text = function("work");
    EXPECT_THAT(text, Not(HasSubstr("int32_t")));
    EXPECT_THAT(text, HasSubstr("    out[0] = 7;\n"));
}

TEST_F(CSourceTest, ChecksReturnToTheCaller) {
    filter(R"(    field a: int[8]
    work {
        %0: ref int[8] = addr field a
        %1: int = pop
        %2: int = const 8
        %3: ref int = elem %0, %1, %2
        %4: int = load.at %3
        push<int> %4
    }
)",
           1, 1, 1);
    EXPECT_EQ(function("work"),
              "static int P_work(P_handle *self, const P_in *in, P_out *out) {\n"
              "    if ((uint32_t)in[0] >= 8u) return P_fault(self, 0, in[0], 8);\n"
              "    out[0] = self->a[in[0]];\n"
              "    return 0;\n"
              "}\n");
    EXPECT_THAT(function("fire"), HasSubstr("if (P_work(self, in, to)) return 1;"));
}

TEST_F(CSourceTest, PopsInBranchesAreCounted) {
    filter(R"(    work {
        %0: int = pop
        %1: int = const 0
        %2: boolean = gt<int> %0, %1
        if %2 {
            %3: int = pop
            push<int> %3
        } else {
            discard<int>
            push<int> %1
        }
    }
)",
           2, 1, 2);
    EXPECT_THAT(function("work"), HasSubstr("    if (in[popped++] > 0) {\n"
                                            "        out[pushed++] = in[popped++];\n"
                                            "    } else {\n"
                                            "        ++popped;\n"
                                            "        out[pushed++] = 0;\n"
                                            "    }\n"));
}

TEST_F(CSourceTest, WindowsAreWhatTheCallerGives) {
    filter(R"(    work {
        %0: ref int[4] = addr input
        %1: ref int[2] = addr output
        %2: int = const 3
        %3: int = const 4
        %4: ref int = elem %0, %2, %3 unchecked
        %5: int = load.at %4
        %6: int = const 1
        %7: int = const 2
        %8: ref int = elem %1, %6, %7 unchecked
        store.at<int> %8, %5
        discard.many<int> 3
        %9: int = pop
        push.many<int> 2
        push<int> %9
    }
)",
           4, 3, 4);
    EXPECT_EQ(function("work"),
              "static void P_work(const P_in *in, P_out *out) {\n"
              "    out[1] = in[3];\n"
              "    out[2] = in[3];\n"
              "}\n");
}

TEST_F(CSourceTest, ArraysOfUnknownSizeAreRefused) {
    filter(R"(    work {
        local a: int[?]
        %0: int = pop
        declare local a, %0
        push<int> %0
    }
)",
           1, 1, 1);
    EXPECT_THAT(whyNotPrinted(), HasSubstr("the size of an array is known only while it runs"));
}

TEST_F(CSourceTest, MessagesAndFilesAreRefused) {
    filter("    work {\n        %0: int = pop\n        push<int> %0\n    }\n", 1, 1, 1);
    ir::Instr& last = elaboration.kernels[0].code.work->blocks[0].instrs.back();
    last.op = ir::Op::Send;
    EXPECT_EQ(whyNotPrinted(), "it sends messages");
    last.op = ir::Op::ReadArray;
    EXPECT_EQ(whyNotPrinted(), "a filter reads an array while it runs");
}

TEST_F(CSourceTest, OneFilterIsPrinted) {
    filter("    work {\n        %0: int = pop\n        push<int> %0\n    }\n", 1, 1, 1);
    EXPECT_EQ(whyNotPrinted(), "");
    EXPECT_TRUE(isOneFilter(elaboration));
    elaboration.graph.nodes.push_back(elaboration.graph.nodes[0]);
    EXPECT_FALSE(isOneFilter(elaboration));
    elaboration.graph.nodes.pop_back();
    elaboration.kernels[0].code.work->regs.push_back({types.vector(types.intType(), 4)});
    EXPECT_EQ(whyNotPrinted(), "it is done in vectors");
    elaboration.kernels[0].code.work.reset();
    EXPECT_FALSE(isOneFilter(elaboration));
}

TEST(Counts, AreThoseOfWindowsAndFirstFirings) {
    elab::Kernel kernel;
    kernel.work = {graph::fixedRate(2), graph::fixedRate(5), graph::fixedRate(3)};
    EXPECT_EQ(countsOf(kernel).firstIn, 3);
    kernel.prework = graph::Rates{graph::fixedRate(1), graph::fixedRate(2), graph::fixedRate(7)};
    const Counts counts = countsOf(kernel);
    EXPECT_EQ(counts.firstIn, 4);
    EXPECT_EQ(counts.firstPop, 1);
    EXPECT_EQ(counts.firstLook, 2);
    EXPECT_EQ(counts.firstOut, 7);
    EXPECT_EQ(counts.look, 5);
}

TEST(Literals, AreExact) {
    EXPECT_EQ(literal(std::int32_t{-7}), "-7");
    EXPECT_EQ(literal(std::numeric_limits<std::int32_t>::min()), "INT32_MIN");
    EXPECT_EQ(literal(std::int64_t{5}), "INT64_C(5)");
    EXPECT_EQ(literal(std::numeric_limits<std::int64_t>::min()), "INT64_MIN");
    EXPECT_EQ(literal(0.1F), "0.1f");
    EXPECT_EQ(literal(2.0F), "2.0f");
    EXPECT_EQ(literal(-0.0F), "-0.0f");
    EXPECT_EQ(literal(1e-45F), "1e-45f");
    EXPECT_EQ(literal(0.1), "0.1");
    EXPECT_EQ(literal(-std::numeric_limits<float>::infinity()), "-INFINITY");
    EXPECT_EQ(literal(std::numeric_limits<float>::quiet_NaN()), "NAN");
    EXPECT_EQ(literal(-std::numeric_limits<double>::quiet_NaN()), "-(double)NAN");
    EXPECT_EQ(literal(std::bit_cast<float>(0x7FC00123U)), "__builtin_nanf(\"0x123\")");
    EXPECT_EQ(literal(std::bit_cast<double>(0x7FF8000000000123U)), "__builtin_nan(\"0x123\")");
}

TEST(Literals, OfTextsHaveEscapes) {
    EXPECT_EQ(stringLiteral("a\"b\\c\1\n?"), R"("a\"b\\c\001\012\?")");
}

TEST(Literals, OfTablesAreInLines) {
    types::TypeTable types;
    std::string bytes;
    for (std::int32_t k = 0; k < 40; ++k) bytes.append(reinterpret_cast<const char*>(&k), sizeof k);
    const std::string text = initialiser(types.array(types.intType(), 40), bytes.data());
    EXPECT_THAT(text, HasSubstr("{\n    0, 1, 2,"));
    EXPECT_THAT(text, HasSubstr("39,\n}"));
    EXPECT_EQ(initialiser(types.array(types.array(types.intType(), 2), 2), bytes.data()),
              "{{0, 1}, {2, 3}}");
}

TEST(NamesOfC, DoNotMeetWordsNorEachOther) {
    Names names;
    EXPECT_EQ(names.take("x"), "x");
    EXPECT_EQ(names.take("x"), "x2");
    EXPECT_EQ(names.take("register"), "register2");
    EXPECT_EQ(names.take("sin"), "sin2");
    EXPECT_EQ(names.take("a.b"), "a_b");
    EXPECT_EQ(names.take("7"), "v7");
    names.enter();
    EXPECT_EQ(names.take("x"), "x3");
    EXPECT_EQ(names.take("y"), "y");
    names.leave();
    EXPECT_EQ(names.take("y"), "y");
}

}  // namespace
}  // namespace strc::csource
