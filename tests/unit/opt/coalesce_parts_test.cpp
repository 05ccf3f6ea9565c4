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
    void expectOne(const std::string& text, const std::string& operation) {
        EXPECT_THAT(text, HasSubstr("coalesce-parts: Main.Parts\n"));
        for (const std::string& name : {std::string("concat"), std::string("slice")})
            EXPECT_THAT(text, Not(HasSubstr("tensor " + name)));
        const std::size_t first = text.find("tensor " + operation);
        EXPECT_NE(first, std::string::npos) << text;
        EXPECT_EQ(text.find("tensor " + operation, first + 1), std::string::npos) << text;
    }

    void SetUp() override { request.improve = linear::Options{}; }

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
    const std::string turned =
        "tensor->tensor filter Turned(int n, int d) { work pop n push 1 { tensor x = pop();"
        " for (int k = 1; k < n; k++) x = concat(pop(), x, d); push(x); } }\n";
    EXPECT_EQ(
        compare([&] { compileParts("8, 6", 48, 4, 0, "Product", product + turned, "Turned"); }),
        "");
}

}  // namespace
}  // namespace strc::testing
