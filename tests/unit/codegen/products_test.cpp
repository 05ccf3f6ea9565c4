// Products of matrices and convolutions in tiles: the decision, and its results beside the interpreter's.

#include <random>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/pass.h"
#include "codegen/detail/product.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using codegen::productOf;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr target::Model kAvx512{.vectorBytes = 64, .vectorRegisters = 32, .fusesProducts = true};
constexpr target::Model kAvx2{.vectorBytes = 32, .vectorRegisters = 16, .fusesProducts = true};
constexpr target::Model kSse{.vectorBytes = 16, .vectorRegisters = 16, .fusesProducts = false};

/// x of height x inner times w^T, whose rows follow each other.
ir::Contraction linear(std::int32_t height, std::int32_t width, std::int32_t inner) {
    return {0, 0, 0, {{height, width, inner, 0}, {width, 1, 0, inner}, {inner, 0, 1, 1}}};
}

/// A convolution of 3 x 3 over squares, `step` apart, with nothing added at the edges.
ir::Contraction convolution(std::int32_t in, std::int32_t out, std::int32_t size,
                            std::int32_t step) {
    const std::int32_t made = (size - 3) / step + 1;
    return {0,
            0,
            0,
            {{out, made * made, 0, in * 9},
             {made, made, size * step, 0},
             {made, 1, step, 0},
             {in, 0, size * size, 9},
             {3, 0, size, 3},
             {3, 0, 1, 1}}};
}

/// The same with the channels of a place beside each other, in what is read and made; weights are as before.
ir::Contraction channelsLast(std::int32_t in, std::int32_t out, std::int32_t size,
                             std::int32_t step) {
    const std::int32_t made = (size - 3) / step + 1;
    return {0,
            0,
            0,
            {{out, 1, 0, in * 9},
             {made, made * out, size * in * step, 0},
             {made, out, in * step, 0},
             {in, 0, 1, 9},
             {3, 0, size * in, 3},
             {3, 0, in, 1}}};
}

/// Each channel alone.
ir::Contraction depthwise(std::int32_t channels, std::int32_t size) {
    ir::Contraction how = channelsLast(channels, channels, size, 1);
    how.loops[0] = {channels, 1, 1, 9};
    how.loops.erase(how.loops.begin() + 3);
    return how;
}

std::string decided(const ir::Contraction& how, const target::Model& unit, bool canStoreA,
                    bool canStoreB) {
    const auto product = productOf(how, 4, unit, canStoreA, canStoreB);
    return product ? codegen::print(*product) : "loops";
}

TEST(Product, WeightsThatAreKnownBecomePanels) {
    EXPECT_THAT(decided(linear(8, 256, 512), kAvx512, false, true),
                HasSubstr("rows 8 (of a), columns 256, sums 512"));
    EXPECT_THAT(decided(linear(8, 256, 512), kAvx512, false, true), HasSubstr("vectors stored"));
    EXPECT_THAT(decided(linear(1, 256, 512), kAvx2, false, true), HasSubstr("vectors stored"));
}

TEST(Product, RowsGoByOnceWhileTheCacheKeepsThePanels) {
    const auto goesByOnce = [](std::int32_t height, std::int32_t width, std::int32_t inner) {
        return decided(linear(height, width, inner), kAvx512, false, true);
    };
    EXPECT_THAT(goesByOnce(1024, 256, 512), HasSubstr("vectors stored, rows outside"));
    EXPECT_THAT(goesByOnce(128, 256, 512), Not(HasSubstr("outside"))) << "fewer rows than columns";
    EXPECT_THAT(goesByOnce(1024, 1024, 512), Not(HasSubstr("outside"))) << "2 MB of panels";
}

TEST(Product, PanelsThatAreForSeveralTilesAreFetchedAhead) {
    const auto canFetch = [](std::int32_t height, std::int32_t width) {
        const auto product = productOf(linear(height, width, 512), 4, kAvx512, false, true);
        return product && product->canFetchPanels();
    };
    EXPECT_TRUE(canFetch(128, 256));
    EXPECT_FALSE(canFetch(8, 256)) << "a panel is for one tile";
    EXPECT_FALSE(canFetch(128, 16)) << "there is one panel";
    EXPECT_FALSE(canFetch(1024, 256)) << "all panels stay in the cache";
    EXPECT_FALSE(productOf(linear(128, 256, 512), 4, kAvx512, false, false)->canFetchPanels())
        << "weights that are not known";
}

TEST(Product, ARowTimesWeightsThatAreNotKnownIsReadOnce) {
    EXPECT_EQ(decided(linear(1, 256, 512), kAvx512, false, false), "loops");
}

TEST(Product, ConvolutionsArePackedInBlocksThatFit) {
    for (const std::int32_t size : {9, 16, 30, 58, 114}) {
        const ir::Contraction how = convolution(256, 256, size, 1);
        const auto product = productOf(how, 4, kAvx512, false, true);
        ASSERT_TRUE(product);
        EXPECT_TRUE(product->isSwapped) << "weights give the scalars";
        if (product->source != codegen::VectorSource::Packed) continue;
        const std::int64_t columns =
            product->countColumns() / product->columns[0].trips * product->block;
        EXPECT_LE(product->packedElements(columns) * 4, codegen::kMostPacked);
    }
    EXPECT_THAT(decided(convolution(64, 64, 58, 1), kAvx512, false, true),
                HasSubstr("rows 64 (of b), columns 56 x 56, sums 64 x 3 x 3"));
    EXPECT_THAT(decided(convolution(64, 64, 57, 2), kAvx512, false, true),
                HasSubstr("vectors direct"))
        << "every other element of a line";
    EXPECT_THAT(decided(convolution(512, 512, 9, 1), kAvx512, false, true),
                HasSubstr("vectors packed in blocks of 7"));
}

TEST(Product, ChannelsBesideEachOtherFillVectors) {
    EXPECT_THAT(decided(channelsLast(512, 512, 9, 1), kAvx512, false, true),
                AllOf(HasSubstr("rows 7 x 7 (of a), columns 512, sums 3 x 3 x 512"),
                      HasSubstr("of 16 lanes, vectors stored")));
    EXPECT_THAT(decided(channelsLast(64, 128, 57, 2), kAvx512, false, true),
                AllOf(HasSubstr("rows 28 x 28 (of a), columns 128"), HasSubstr("stored")));
    EXPECT_THAT(decided(channelsLast(64, 128, 57, 2), kAvx512, false, false),
                HasSubstr("vectors packed"))
        << "weights that are not known";
}

TEST(Product, ChannelsAloneHaveVectorsOnBothSides) {
    EXPECT_THAT(decided(depthwise(96, 30), kAvx512, false, true),
                AllOf(HasSubstr("rows 28 x 28 (vectors of a), columns 96, sums 3 x 3"),
                      HasSubstr("of 16 lanes, vectors stored, rows outside")));
    EXPECT_THAT(decided(depthwise(96, 30), kSse, false, true),
                AllOf(HasSubstr("(vectors of a)"), HasSubstr("of 4 lanes")));
}

TEST(Product, AddendsMoveAsTheResultDoesOrStandStill) {
    ir::Contraction how = convolution(512, 512, 9, 1);
    how.addends = 2;
    how.bounds.low = 0;
    for (std::size_t k : {0u, 1u, 2u}) how.loops[k].added[1] = how.loops[k].out;  // a residual
    how.loops[0].added[0] = 1;  // a bias
    EXPECT_THAT(decided(how, kAvx512, false, true),
                HasSubstr("vectors packed in blocks of 7, plus 2, within 0 and inf"));
    how.loops[2].added[0] = 1;  // one number for each place of a line: no panels
    EXPECT_THAT(decided(how, kAvx512, false, true), HasSubstr("vectors direct, plus 2"));
    how.loops[2].added[0] = 3;
    EXPECT_EQ(decided(how, kAvx512, false, true), "loops");
}

TEST(Product, TilesFitIntoTheRegisters) {
    for (const target::Model& unit : {kAvx512, kAvx2, kSse})
        for (std::int32_t height = 1; height < 60; height += 3)
            for (std::int32_t width = 1; width < 100; width += 7) {
                const auto product = productOf(linear(height, width, 40), 4, unit, false, true);
                if (!product) continue;
                const std::int64_t sums = product->height * product->vectors;
                EXPECT_FALSE(product->areRowsVectors);
                EXPECT_LT(sums + (product->vectors > 1 ? product->vectors : 0) + 1,
                          unit.vectorRegisters);
                EXPECT_LE(product->lanes * 4, unit.vectorBytes);
            }
}

TEST(Product, BytesAreWordsWhereTheProcessorAddsTheirProducts) {
    auto decidedInBytes = [](const ir::Contraction& how, target::Model unit, target::Dots dots,
                             bool canStoreB) {
        unit.dots = dots;
        const auto product = codegen::dotProductOf(how, unit, false, canStoreB);
        return product ? codegen::print(*product) : "loops";
    };
    EXPECT_THAT(decidedInBytes(linear(8, 256, 512), kAvx512, target::Dots::UnsignedFours, true),
                AllOf(HasSubstr("columns 256, sums 128"), HasSubstr("stored in words of 4 bytes")));
    EXPECT_THAT(decidedInBytes(linear(8, 256, 512), kAvx2, target::Dots::Pairs, true),
                AllOf(HasSubstr("sums 256"), HasSubstr("stored in words of 2 bytes")));
    EXPECT_THAT(decidedInBytes(channelsLast(8, 64, 20, 1), kAvx512, target::Dots::Fours, true),
                HasSubstr("in words of 4 bytes"));
    // Rows are prepared where the instruction wants others than those that lie there, and there is room for all of them.
    for (const auto dots : {target::Dots::UnsignedFours, target::Dots::Pairs})
        EXPECT_THAT(decidedInBytes(linear(8, 256, 512), kAvx512, dots, true),
                    HasSubstr("bytes, rows prepared"));
    EXPECT_THAT(decidedInBytes(linear(8, 256, 512), kAvx512, target::Dots::Fours, true),
                Not(HasSubstr("prepared")));
    EXPECT_THAT(decidedInBytes(linear(2000, 256, 1024), kAvx512, target::Dots::UnsignedFours, true),
                Not(HasSubstr("prepared")));
    // Neither what is no multiple of a word, nor what is not known, nor without such an instruction.
    EXPECT_EQ(decidedInBytes(linear(8, 256, 511), kAvx512, target::Dots::UnsignedFours, true),
              "loops");
    EXPECT_EQ(decidedInBytes(linear(8, 256, 512), kAvx512, target::Dots::UnsignedFours, false),
              "loops");
    EXPECT_EQ(decidedInBytes(linear(8, 256, 512), kSse, target::Dots::None, true), "loops");
}

/// Contractions of random shapes on whole numbers, so that every order of sums gives the same.
class ProductsTest : public CompiledTest {
protected:
    void SetUp() override { request.optimise = pass::Options{}; }  // with epilogues

    int pick(int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    }

    static std::string numbers(const std::string& dims, int count, int modulus) {
        return fmt::format(
            "reshape(arange({0}) * {3} - {1} * floor(arange({0}) * {3} / {1}) - {1} / 2, {2})",
            count, modulus, dims, "3.0");
    }

    /// Fields that nothing changes are known when code is made.
    std::string operand(const std::string& dims, int count, int modulus, bool isKnown) {
        const std::string name = fmt::format("t{}", ++made);
        const std::string value = numbers(dims, count, modulus);
        if (isKnown) {
            fields += fmt::format("    tensor<float>[{}] {};\n", dims, name);
            inits += fmt::format("        {} = {};\n", name, value);
        } else {
            works += fmt::format("        tensor {} = {} * one;\n", name, value);
        }
        return name;
    }

    void show(const std::string& value) {
        ++shows;
        works += fmt::format("        push({});\n", value);
    }

    /// As elements of another type, of which all numbers are; products of int8 reach its limits.
    std::string narrowOperand(const std::string& dims, int count, const std::string& type,
                              bool isKnown) {
        const std::string name = fmt::format("t{}", ++made);
        const std::string value =
            fmt::format("{}({})", type, numbers(dims, count, type == "int8" ? 256 : 15));
        if (isKnown) {
            fields += fmt::format("    tensor<{}>[{}] {};\n", type, dims, name);
            inits += fmt::format("        {} = {};\n", name, value);
        } else {
            works += fmt::format("        tensor {} = {}({} * one);\n", name, type, value);
        }
        return name;
    }

    void addNarrow(const std::string& type, const std::string& sum, int inner) {
        const int rows = pick(1, 20), columns = pick(1, 70);
        const bool isKnown = pick(0, 3) > 0;
        const std::string a =
            narrowOperand(fmt::format("{}, {}", rows, inner), rows * inner, type, false);
        const std::string b =
            narrowOperand(fmt::format("{}, {}", columns, inner), columns * inner, type, isKnown);
        show(fmt::format("matmul(({0}) {1}, ({0}) transpose({2}, 0, 1))", sum, a, b));
    }

    void addKnownBytes(int rows, int columns, int inner) {
        const std::string a =
            narrowOperand(fmt::format("{}, {}", rows, inner), rows * inner, "int8", false);
        const std::string b =
            narrowOperand(fmt::format("{}, {}", columns, inner), columns * inner, "int8", true);
        show(fmt::format("matmul((int) {}, (int) transpose({}, 0, 1))", a, b));
    }

    /// Narrow elements on one side, then on the other one: tiles of the same shape.
    void addNarrowOnEitherSide(const std::string& type) {
        const int rows = pick(8, 20), inner = pick(8, 60), columns = pick(16, 70);
        const std::string ofA = fmt::format("{}, {}", rows, inner);
        const std::string ofB = fmt::format("{}, {}", inner, columns);
        const std::string a = narrowOperand(ofA, rows * inner, type, false);
        const std::string b = narrowOperand(ofB, inner * columns, type, true);
        show(fmt::format("matmul((float) {}, {})", a, operand(ofB, inner * columns, 5, true)));
        show(fmt::format("matmul({}, (float) {})", operand(ofA, rows * inner, 7, false), b));
    }

    void addNarrowConvolution(const std::string& type, const std::string& sum, bool isLast) {
        const int in = 4 * pick(1, 5), out = pick(1, 40), size = pick(3, 9);
        const std::string x = narrowOperand(isLast ? fmt::format("{}, {}, {}", size, size, in)
                                                   : fmt::format("{}, {}, {}", in, size, size),
                                            in * size * size, type, false);
        const std::string w =
            narrowOperand(fmt::format("{}, {}, 3, 3", out, in), out * in * 9, type, true);
        const std::string y = fmt::format("conv(({0}) {1}, ({0}) {2}, 1, 1, 1, 1, 1)", sum,
                                          isLast ? "permute(" + x + ", 2, 0, 1)" : x, w);
        show(isLast ? fmt::format("permute({}, 1, 2, 0)", y) : y);
    }

    void addMatmul(bool isKnown) {
        const int rows = pick(1, 40), inner = pick(1, 70), columns = pick(1, 70);
        const int batch = pick(0, 3) == 0 ? pick(2, 3) : 1;
        const bool isTurned = pick(0, 1) == 1;
        const std::string a =
            operand(fmt::format("{}, {}, {}", batch, rows, inner), batch * rows * inner, 7, false);
        const std::string b = operand(isTurned ? fmt::format("{}, {}", columns, inner)
                                               : fmt::format("{}, {}", inner, columns),
                                      inner * columns, 5, isKnown);
        show(fmt::format(
            fmt::runtime(isTurned ? "matmul({}, transpose({}, 0, 1))" : "matmul({}, {})"), a, b));
    }

    void addConvolution(bool isKnown) {
        const int groups = pick(1, 3), perGroup = pick(1, 9), makes = pick(1, 15);
        const int kernelY = pick(1, 4), kernelX = pick(1, 4), strideY = pick(1, 3),
                  strideX = pick(1, 3);
        const int dilation = pick(1, 2);
        const int height = (kernelY - 1) * dilation + pick(1, 20);
        const int width = (kernelX - 1) * dilation + pick(1, 40);
        const std::string x =
            operand(fmt::format("2, {}, {}, {}", groups * perGroup, height, width),
                    2 * groups * perGroup * height * width, 7, false);
        const std::string w =
            operand(fmt::format("{}, {}, {}, {}", groups * makes, perGroup, kernelY, kernelX),
                    groups * makes * perGroup * kernelY * kernelX, 5, isKnown);
        show(fmt::format("conv({}, {}, {}, {}, {}, {}, {})", x, w, strideY, strideX, dilation,
                         dilation, groups));
    }

    /// Channels beside each other in the result, and in what is read unless `isPlanar`.
    void addChannelsLast(int groups, int perGroup, int makes, bool isPlanar, bool isKnown) {
        const int kernelY = pick(1, 3), kernelX = pick(1, 3), stride = pick(1, 2);
        const int dilation = pick(1, 2);
        const int height = (kernelY - 1) * dilation + pick(1, 9);
        const int width = (kernelX - 1) * dilation + pick(1, 19);
        const int madeY = (height - (kernelY - 1) * dilation - 1) / stride + 1;
        const int madeX = (width - (kernelX - 1) * dilation - 1) / stride + 1;
        const int in = groups * perGroup, out = groups * makes;
        const std::string x = operand(isPlanar ? fmt::format("2, {}, {}, {}", in, height, width)
                                               : fmt::format("2, {}, {}, {}", height, width, in),
                                      2 * in * height * width, 7, false);
        const std::string w =
            operand(fmt::format("{}, {}, {}, {}", out, perGroup, kernelY, kernelX),
                    out * perGroup * kernelY * kernelX, 5, isKnown);
        std::string y = fmt::format("conv({}, {}, {}, {}, {}, {}, {})",
                                    isPlanar ? x : fmt::format("permute({}, 0, 3, 1, 2)", x), w,
                                    stride, stride, dilation, dilation, groups);
        if (pick(0, 1) == 1)
            y += " + " + operand(fmt::format("{}, 1, 1", out), out, 5, true);  // a bias
        if (pick(0, 1) == 1)
            y = fmt::format("relu({} + permute({}, 0, 3, 1, 2))", y,
                            operand(fmt::format("2, {}, {}, {}", madeY, madeX, out),
                                    2 * madeY * madeX * out, 7, false));
        show(fmt::format("permute({}, 0, 2, 3, 1)", y));
    }

    /// In the interpreter and as code for each of the processors.
    void compareEngines(const std::vector<const char*>& processors = {"", "x86-64-v3", "x86-64"}) {
        compile(program());
        interpret(iterations(1));
        const std::string expected = std::exchange(printed, "");
        EXPECT_THAT(expected, HasSubstr("\n"));
        for (const char* processor : processors) {
            codegen::Options options;
            options.processor = processor;
            run(iterations(1), options);
            EXPECT_EQ(std::exchange(printed, ""), expected) << processor;
        }
        fields = inits = works = "";
        shows = 0;
    }

    /// What is not known depends on a state.
    std::string program() const {
        return fmt::format(
            "void->void pipeline Main {{ add Start(); add Products(); add Sums(); }}\n"
            "void->tensor filter Start {{ float n; init {{ n = 1; }}"
            " work push 1 {{ n = 2 - n; push(n * ones(1)); }} }}\n"
            "tensor->tensor filter Products {{\n{}    init {{\n{}    }}\n"
            "    work pop 1 push {} {{\n        tensor one = pop();\n{}    }}\n}}\n"
            "tensor->void filter Sums {{ work pop {} {{\n{} }} }}\n",
            fields, inits, shows, works, shows, sums());
    }

    /// In doubles, whose squares are whole numbers still.
    std::string sums() const {
        std::string all;
        for (int k = 0; k < shows; ++k)
            all += fmt::format(
                "    tensor y{0} = (double) pop(); println(sum(y{0})); println(sum(y{0} * y{0}));"
                " println(argmax(y{0}));\n",
                k);
        return all;
    }

    std::mt19937 random{1};
    std::string fields, inits, works;
    int made = 0, shows = 0;
};

TEST_F(ProductsTest, MatricesOfRandomShapes) {
    for (int round = 0; round < 3; ++round) {
        for (int k = 0; k < 6; ++k) addMatmul(k % 2 == 0);
        compareEngines();
    }
}

TEST_F(ProductsTest, BytesOfRandomShapes) {
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < 3; ++k) addNarrow("int8", "int", 4 * pick(1, 40));
        addNarrow("int8", "int", pick(1, 60));
        addNarrow("int8", "float", pick(1, 60));
        compareEngines();
        addNarrowConvolution("int8", "int", true);
        addNarrowConvolution("int8", "int", false);
        compareEngines();
    }
}

/// Once those of a product that threads share, and once more of them than are prepared.
TEST_F(ProductsTest, BytesOfManyRows) {
    addKnownBytes(100, 300, 256);
    compareEngines();
    addKnownBytes(700, 20, 2000);
    compareEngines();
}

/// Rows, columns and words that fill no vector and no tile, for each kind of instruction: words of four on processors with VNNI, of AVX-512 or not, of
/// two with AVX2, and none.
TEST_F(ProductsTest, BytesOfOddSizes) {
    for (const auto& [rows, columns, inner] :
         {std::tuple{1, 65, 1004}, {7, 33, 62}, {29, 17, 132}, {3, 47, 6}, {15, 1, 300}})
        addKnownBytes(rows, columns, inner);
    compareEngines({"cascadelake", "alderlake", "x86-64-v3", "x86-64"});
}

/// Scaled and bounded as layers do it, and beyond all bounds.
TEST_F(ProductsTest, FloatsBecomeBytes) {
    const std::string x = operand("3, 50", 150, 150, false);
    for (const char* value : {"min(max(rint({} / 0.3), -127), 127)", "{} / 0", "0 / {}", "{} * 3e7",
                              "{} * 1e30", "-{} * 1e30", "sqrt({})"})
        show(fmt::format("int8({})", fmt::format(fmt::runtime(value), x)));
    compareEngines();
}

/// What bytes are made of stays a float, and goes in vectors.
TEST_F(ProductsTest, FloatsBecomeBytesInVectors) {
    processor = "x86-64-v3";
    show("int8(min(max(rint(" + operand("300", 300, 150, false) + " / 0.3), -127), 127))");
    compile(program());
    codegen::Module module = lower();
    codegen::optimize(module, forTestedProcessor({}));
    EXPECT_THAT(codegen::printLlvm(module),
                AllOf(HasSubstr("fptosi <8 x float>"), Not(HasSubstr("llvm.fptosi.sat.v"))));
}

TEST_F(ProductsTest, ShortFloatsOfRandomShapes) {
    for (const char* type : {"half", "bfloat16"}) {
        for (int k = 0; k < 3; ++k) addNarrow(type, "float", pick(1, 60));
        addNarrowConvolution(type, "float", true);
        addNarrowConvolution(type, "float", false);
        compareEngines();
    }
}

TEST_F(ProductsTest, NarrowFactorsOnEitherSide) {
    for (const char* type : {"int8", "half", "bfloat16"}) {
        addNarrowOnEitherSide(type);
        compareEngines();
    }
}

TEST_F(ProductsTest, ConvolutionsOfRandomShapes) {
    for (int round = 0; round < 3; ++round) {
        for (int k = 0; k < 6; ++k) addConvolution(k % 2 == 0);
        compareEngines();
    }
}

TEST_F(ProductsTest, ChannelsLastOfRandomShapes) {
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < 4; ++k)
            addChannelsLast(1, pick(1, 20), pick(1, 70), k == 3, pick(0, 3) > 0);
        for (int k = 0; k < 2; ++k) addChannelsLast(pick(1, 40), 1, 1, false, pick(0, 3) > 0);
        addChannelsLast(3, pick(1, 9), pick(1, 20), false, true);
        compareEngines();
    }
}

/// The result goes to its permuted places at once: row by row, channels that are alone would be left to loops.
TEST_F(ProductsTest, PermutedResultsAreNoCopies) {
    compile(
        "void->void pipeline Main { add Start(); add Channels(); add End(); }\n"
        "void->tensor filter Start { float n; init { n = 1; } work push 1 { n = 2 - n; push(n * "
        "ones(9, 9, 32)); } }\n"
        "tensor->tensor filter Channels { tensor<float>[32, 1, 3, 3] w; init { w = ones(32, 1, 3, "
        "3); }\n"
        "work pop 1 push 1 { push(permute(relu(conv(permute(pop(), 2, 0, 1), w, 1, 1, 1, 1, 32)), "
        "1, 2, 0)); } }\n"
        "tensor->void filter End { work pop 1 { println(sum(pop())); } }\n");
    EXPECT_NE(codegen::printLlvm(lower()).find("tile.f32."), std::string::npos);
}

/// What threads share: a part along the rows would pack all columns again.
TEST_F(ProductsTest, PartsOfPackedColumnsAreBlocks) {
    const auto product = productOf(convolution(64, 64, 58, 1), 4, kAvx512, false, true);
    ASSERT_TRUE(product);
    ASSERT_EQ(product->source, codegen::VectorSource::Packed);
    compile(
        "void->void pipeline Main { add Start(); add Image(); add End(); }\n"
        "void->tensor filter Start { float n; init { n = 1; }\n"
        "work push 1 { n = 2 - n; push(n * ones(64, 58, 58)); } }\n"
        "tensor->tensor filter Image { tensor<float>[64, 64, 3, 3] w; init { w = ones(64, 64, 3, "
        "3); }\n"
        "work pop 1 push 1 { push(conv(pop(), w, 1, 1, 1, 1, 1)); } }\n"
        "tensor->void filter End { work pop 1 { println(sum(pop())); } }\n");
    codegen::Options options;
    options.processor = "x86-64-v4";
    const std::int64_t blocks = (56 + product->block - 1) / product->block;
    EXPECT_GT(blocks, 1);
    const std::string call = fmt::format("@part, ptr %operands, i64 {})", blocks);
    EXPECT_NE(codegen::printLlvm(lower(options)).find(call), std::string::npos) << call;
}

TEST_F(ProductsTest, AreLeftToLoopsWithoutThePass) {
    addMatmul(true);
    const std::string all = program();
    compile(all);
    EXPECT_THAT(codegen::printLlvm(lower()), HasSubstr("@tile."));
    disabled.push_back(base::Pass::RegisterTiling);
    compile(all);
    EXPECT_THAT(codegen::printLlvm(lower()), Not(HasSubstr("@tile.")));
}

TEST_F(ProductsTest, TheNextPanelIsFetched) {
    const std::string all =
        "void->void pipeline Main { add Start(); add Product(); }\n"
        "void->tensor filter Start { float n; work push 1 { n++; push(n * ones(128, 512)); } }\n"
        "tensor->void filter Product { tensor<float>[256, 512] w; init { w = reshape(1.0 * "
        "arange(256 * 512), 256, 512); }\n"
        "work pop 1 { println(sum(matmul(pop(), transpose(w, 0, 1)), 0)); } }\n";
    shown = base::Pass::PrefetchPanels;
    compile(all);
    EXPECT_THAT(codegen::printLlvm(lower()), HasSubstr("@llvm.prefetch"));
    EXPECT_THAT(
        CompiledTest::program.context.passes.emitted(),
        AllOf(HasSubstr("prefetch-panels: Product.work\nrows 128 (of a), columns 256, sums 512"),
              HasSubstr("vectors stored, next panel fetched\n")));
    run(iterations(2));
    const std::string fetched = std::exchange(printed, "");
    disabled.push_back(base::Pass::PrefetchPanels);
    compile(all);
    EXPECT_THAT(codegen::printLlvm(lower()), Not(HasSubstr("@llvm.prefetch")));
    EXPECT_EQ(CompiledTest::program.context.passes.emitted(), "");
    run(iterations(2));
    EXPECT_EQ(printed, fetched);
}

/// A sum waits for itself: where a tile has few of them, each is several that are added at the end.
TEST_F(ProductsTest, FewSumsAreTakenApart) {
    processor = "x86-64-v3";  // without fused multiply-adds every product is added
    auto tilesOf = [&](const std::string& rows) {
        compile(
            "void->void pipeline Main { add Start(); add Product(); }\n"
            "void->tensor filter Start { work push 1 { push(ones(" +
            rows +
            ", 48)); } }\n"
            "tensor->void filter Product { tensor<float>[48, 16] w; init { w = ones(48, 16); }\n"
            "work pop 1 { tensor y = matmul(pop(), w); println(y[0, 3]); } }\n");
        const std::string text = codegen::printLlvm(lower());
        const std::size_t begin = text.find("@tile.f32");
        EXPECT_NE(begin, std::string::npos);
        const std::size_t body = text.find("define internal void @tile.f32");
        return text.substr(body, text.find("\n}", body) - body);
    };
    EXPECT_THAT(tilesOf("1"), HasSubstr("fadd <"));
    EXPECT_THAT(tilesOf("32"), Not(HasSubstr("fadd <")));
}

}  // namespace
}  // namespace strc::testing
