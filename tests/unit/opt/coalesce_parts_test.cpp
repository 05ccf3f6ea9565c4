#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The pass `coalesce-parts`: what is done to parts is done to the whole. No sum has rounding errors.
class CoalesceParts : public CompiledTest {
protected:
    /// Tensors of `shape`, which has `count` elements, in `parts` parts of dimension `dim` through `branch`, one of
    /// `filters`.
    void compileParts(const std::string& shape, int count, int parts, int dim,
                      const std::string& branch, const std::string& filters,
                      const std::string& joined = "cat") {
        const std::string n = std::to_string(parts), d = std::to_string(dim);
        compile(
            "void->void pipeline Main { add Count; add Parts; add Show; }\n"
            "void->tensor filter Count { int n; work push 1 { tensor<float> x = 1.0 * arange(" +
            std::to_string(count) +
            "); n++;\n push(reshape(x - (n + 4) * floor(x / (n + 4)) - 2, " + shape +
            ")); } }\n"
            "tensor->void filter Show { work pop 1 { println(pop()); } }\n"
            "tensor->tensor pipeline Parts { add chunk(" +
            n + ", " + d + "); add splitjoin { split roundrobin; for (int k = 0; k < " + n +
            "; k++) add " + branch + "; join roundrobin; }; add " + joined + "(" + n + ", " + d +
            "); }\n" + filters);
    }
    /// Equal with and without the pass, and interpreted. The text that it has shown.
    std::string compare(const std::function<void()>& compileIt) {
        std::vector<std::string> all;
        const auto results = [&] {
            EXPECT_EQ(run(iterations(2)).end, interp::End::Iterations);
            all.push_back(std::exchange(printed, ""));
        };
        disabled = {base::Pass::CoalesceParts};
        shown = base::Pass::CoalesceParts;
        compileIt();
        EXPECT_EQ(program.context.passes.emitted(), "");
        results();
        disabled = {};
        compileIt();
        results();
        EXPECT_EQ(interpret(iterations(2)).end, interp::End::Iterations);
        EXPECT_FALSE(printed.empty());
        EXPECT_EQ(all[0], printed);
        EXPECT_EQ(all[1], std::exchange(printed, ""));
        return program.context.passes.emitted();
    }
    void expectOne(const std::string& text, const std::string& operation, int times = 1) {
        EXPECT_THAT(text, HasSubstr("coalesce-parts: Main.Parts"));
        EXPECT_THAT(text, Not(HasSubstr("tensor concat")));
        if (operation != "slice") {
            EXPECT_THAT(text, Not(HasSubstr("tensor slice")));
        }
        int found = 0;
        for (std::size_t at = 0; (at = text.find("tensor " + operation, at)) != std::string::npos;
             ++at)
            ++found;
        EXPECT_EQ(found, times) << text;
    }

    void SetUp() override { request.optimise = pass::Options{}; }

    const std::string product =
        "tensor->tensor filter Product { tensor<float>[6, 5] m; tensor<float>[5] b; init { m = "
        "reshape(arange(30) - 10.0, 6, 5); b = arange(5) * 0.25; }\n"
        "  work pop 1 push 1 { push(relu(matmul(pop(), m) + b)); } }\n";
};

TEST_F(CoalesceParts, TextOfTheBody) {
    shown = base::Pass::CoalesceParts;
    compileParts("4, 6", 24, 2, 0, "Product", product);
    EXPECT_EQ(program.context.passes.emitted(),
              R"(; coalesce-parts: Main.Parts
work {
    local #0: tensor<float>[4, 6]
    local #1: tensor<float>[2, 6]
    local #2: tensor<float>[2, 6]
    local x#3: tensor
    local length: int
    local k#5: int
    local #6: tensor<float>[2, 5]
    local #7: tensor<float>[2, 5]
    local #8: tensor<float>[4, 5]
    local x#9: tensor
    local k#10: int
    %0: tensor<float>[4, 6] = pop
    %10: int = const 2
    store<int> local length, %10
    %31: int = const 0
    store<int> local k#5, %31
    %64: int = const 1
    store<int> local k#5, %64
    store<int> local k#5, %10
    %102: tensor<float>[6, 5] = load field #0
    %105: tensor<float>[5] = load field #1
    store<int> local k#10, %64
    %132: tensor = tensor matmul %0, %102
    %133: tensor = tensor add %132, %105
    %134: tensor = tensor relu %133
    store<int> local k#10, %10
    push<tensor<float>[4, 5]> %134
}
)");
}

TEST_F(CoalesceParts, RowsOfAProduct) {
    for (const int parts : {2, 4, 8}) {
        SCOPED_TRACE(parts);
        expectOne(compare([&] { compileParts("8, 6", 48, parts, 0, "Product", product); }),
                  "matmul");
    }
}

TEST_F(CoalesceParts, AShorterLastPart) {
    expectOne(compare([&] { compileParts("8, 6", 48, 3, 0, "Product", product); }), "matmul");
}

TEST_F(CoalesceParts, RowsOfAnyDimension) {
    for (const int dim : {0, 1}) {
        SCOPED_TRACE(dim);
        expectOne(compare([&] { compileParts("4, 4, 6", 96, 4, dim, "Product", product); }),
                  "matmul");
    }
}

TEST_F(CoalesceParts, ColumnsOfATurnedProduct) {
    expectOne(compare([&] {
                  compileParts("6, 8", 48, 4, 1, "Turned",
                               "tensor->tensor filter Turned { tensor<float>[5, 6] m; init { m = "
                               "reshape(arange(30) - 10.0, 5, 6); }\n"
                               "  work pop 1 push 1 { push(matmul(m, pop())); } }\n");
              }),
              "matmul");
}

TEST_F(CoalesceParts, PicturesOfABatch) {
    const std::string text = compare([&] {
        compileParts("4, 2, 5, 5", 200, 4, 0, "Conv",
                     "tensor->tensor filter Conv { tensor<float>[3, 2, 3, 3] w; init { "
                     "tensor<float> k = 1.0 * arange(54); w = reshape(k - 7 * floor(k / 7) - 3, "
                     "3, 2, 3, 3); } work pop 1 push 1 { push(conv(pop(), w, 1, 1, 1, 1, 1)); } "
                     "}\n");
    });
    expectOne(text, "conv");
}

TEST_F(CoalesceParts, FunctionsOfElementsAndSeveralFilters) {
    expectOne(compare([&] {
                  compileParts("8, 6", 48, 4, 0,
                               "pipeline { add Scale(2); add Product; add abs; add Scale(0.5); }",
                               product +
                                   "tensor->tensor filter abs { work pop 1 push 1 { "
                                   "push(abs(pop())); } }\n"
                                   "tensor->tensor filter Scale(float by) { work pop 1 push 1 { "
                                   "push(pop() * by); } }\n");
              }),
              "matmul");
}

TEST_F(CoalesceParts, MoreThanAHundredBranches) {
    expectOne(compare([&] { compileParts("240, 6", 1440, 120, 0, "Product", product); }), "matmul");
}

TEST_F(CoalesceParts, SeveralProducts) {
    const std::string second =
        "tensor->tensor filter Second { tensor<float>[5, 3] m; init { m = reshape(arange(15) - "
        "7.0, 5, 3); }\n  work pop 1 push 1 { push(matmul(pop(), m)); } }\n";
    const std::string text = compare([&] {
        compileParts("8, 6", 48, 4, 0, "pipeline { add Product; add relu; add Second; }",
                     product + second);
    });
    expectOne(text, "matmul", 2);
}

/// A filter whose work pushes that of its item `x`.
std::string pushing(const std::string& value) {
    return "tensor->tensor filter Branch { work pop 1 push 1 { tensor x = pop(); push(" + value +
           "); } }\n";
}

TEST_F(CoalesceParts, OverOtherDimensions) {
    for (const std::string operation : {"sum", "amax", "argmax", "cumsum", "flip"}) {
        SCOPED_TRACE(operation);
        expectOne(compare([&] {
                      compileParts("8, 6, 3", 144, 4, 0, "Branch", pushing(operation + "(x, 1)"));
                  }),
                  operation);
    }
    for (const std::string value :
         {"sum(x, 0)", "windows(x, 0, 2, 1)", "pad(x, 2, 1, 2)", "slice(x, 0, 1, 6, 2)",
          "update(x, sum(x, 2, 1), 2, 1)", "permute(x, 2, 0, 1)"}) {
        SCOPED_TRACE(value);
        const std::string joined = value[0] == 's' && value[1] == 'u' ? "Before"
                                   : value[1] == 'e'                  ? "Behind"
                                                                      : "cat";
        const std::string joins =
            "tensor->tensor pipeline Before(int n, int d) { add cat(n, d - 1); }\n"
            "tensor->tensor pipeline Behind(int n, int d) { add cat(n, d + 1); }\n";
        expectOne(compare([&] {
                      compileParts("6, 8, 3", 144, 4, 1, "Branch", pushing(value) + joins, joined);
                  }),
                  value.substr(0, value.find('(')));
    }
}

TEST_F(CoalesceParts, SoftmaxOfRows) {
    const std::string text = compare(
        [&] { compileParts("128, 3", 384, 64, 0, "Branch", pushing("floor(16 * softmax(x))")); });
    expectOne(text, "softmax");
}

TEST_F(CoalesceParts, ValuesThatAreUsedTwice) {
    expectOne(compare([&] {
                  compileParts("8, 4", 32, 4, 0, "Branch", pushing("(x + 1) * sum(x + 1, 1, 1)"));
              }),
              "sum");
}

TEST_F(CoalesceParts, Heads) {
    expectOne(compare([&] {
                  compileParts("8, 6", 48, 3, 0, "Branch",
                               pushing("transpose(reshape(x, size(x, 0), 2, 3), 1, 2)"));
              }),
              "reshape");
}

TEST_F(CoalesceParts, WhatIsUsedElsewhereStays) {
    // The branches give a second tensor each, which are put together otherwise.
    const std::string filters =
        "tensor->tensor filter Two { work pop 1 push 2 { tensor x = abs(pop()); push(x); "
        "push(sum(x, 0)); } }\n"
        "tensor->tensor filter Both(int n, int d) { work pop 2 * n push 1 { tensor a = pop(); "
        "tensor b = pop(); for (int k = 1; k < n; k++) { a = concat(a, pop(), 0); b = b + pop(); } "
        "push(a * b); } }\n";
    EXPECT_EQ(compare([&] {
                  compile(
                      "void->void pipeline Main { add Count; add Parts; add Show; }\n"
                      "void->tensor filter Count { int n; work push 1 { n++; "
                      "push(reshape(arange(48) - 20.0 + n, 8, 6)); } }\n"
                      "tensor->void filter Show { work pop 1 { println(pop()); } }\n"
                      "tensor->tensor pipeline Parts { add chunk(4, 0); add splitjoin { split "
                      "roundrobin; for (int k = 0; k < 4; k++) add Two; join roundrobin(2); } add "
                      "Both(4, 0); }\n" +
                      filters);
              }),
              "");
}

TEST_F(CoalesceParts, DifferentBranchesStay) {
    const std::string different =
        "tensor->tensor filter Product(int k) { tensor<float>[6, 5] m; init { m = "
        "reshape(arange(30) - 10.0 + k, 6, 5); }\n"
        "  work pop 1 push 1 { push(matmul(pop(), m)); } }\n";
    EXPECT_EQ(compare([&] { compileParts("8, 6", 48, 4, 0, "Product(k)", different); }), "");
}

TEST_F(CoalesceParts, OtherPlacesStay) {
    // Each part's rows become columns of the result.
    EXPECT_EQ(compare([&] {
                  compileParts("8, 6", 48, 4, 0, "pipeline { add Product; add transpose(0, 1); }",
                               product);
              }),
              "");
    // The sum of a part is none of the whole.
    EXPECT_EQ(compare([&] {
                  compileParts("8, 6", 48, 4, 0, "Sums",
                               "tensor->tensor filter Sums { work pop 1 push 1 { tensor x = pop(); "
                               "push(x - sum(x, 0)); } }\n");
              }),
              "");
    // What was cut along rows is put together as columns.
    const std::string columns =
        "tensor->tensor filter Beside(int n, int d) { work pop n push 1 { tensor x = pop();"
        " for (int k = 1; k < n; k++) x = concat(x, pop(), 1); push(x); } }\n";
    EXPECT_EQ(
        compare([&] { compileParts("8, 6", 48, 4, 0, "Product", product + columns, "Beside"); }),
        "");
}

TEST_F(CoalesceParts, AnotherOrderStays) {
    const std::string transposed =
        "tensor->tensor filter Turned(int n, int d) { work pop n push 1 { tensor x = pop();"
        " for (int k = 1; k < n; k++) x = concat(pop(), x, d); push(x); } }\n";
    EXPECT_EQ(
        compare([&] { compileParts("8, 6", 48, 4, 0, "Product", product + transposed, "Turned"); }),
        "");
}

}  // namespace
}  // namespace strc::testing
