// Text to syntax tree beside ANTLR's bare parse of the same text, on large inputs made here.
//
//   benchmark_parse [PAIRS]     interleaved pairs (5), medians; fails if a ratio is above 2

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "StrcLexer.h"
#include "StrcParser.h"
#include "antlr4-runtime.h"
#include "parser/parse.h"

namespace {

constexpr double kMostRatio = 2.0;

struct Input {
    std::string name;
    std::string text;
};

/// 80,000 statements of all kinds in one block.
Input block() {
    std::string text = "void->int filter Big { int[100][1000] t; float x; init {\n";
    for (int i = 0; i < 10'000; i++) {
        text +=
            fmt::format("  t[{0}][{1}] = {2};\n  t[{0}][{1} + 1] = -{2};\n  t[i][j] = 0x{2:X};\n",
                        i / 100, i % 100, i * 7919 % 65536);
        text += fmt::format("  x = x * 0.5 + t[{}][3] * ({} + 1.25e-3);\n", i % 100, i);
        text += fmt::format(
            "  if (x > {}.5 && t[0][1] < 3) x = sin(x) / 2; else x += abs(x - 1);\n", i);
        text += fmt::format("  int y{0} = (int)(x * {0}) << 3 | 0xFF & {0};\n", i);
        text += fmt::format("  set(x, {}, t[1][2] + 1);\n", i);
        text += fmt::format("  for (int i = 0; i < {}; i++) {{ t[i][i + 1] = i * 2 - 1; }}\n", i);
    }
    return {"80,000 statements", text + "} work push 1 { push(1); } }\n"};
}

std::string table(int depth, int& next) {
    if (depth == 0) return std::to_string(next++ * 7919 % 1000);
    return "{" + table(depth - 1, next) + "," + table(depth - 1, next) + "}";
}

/// Tables of ten dimensions, and one with many elements in a row.
Input tables() {
    std::string text = "void->int filter T {\n";
    int next = 0;
    for (int i = 0; i < 60; i++) {
        text += fmt::format("  int[2][2][2][2][2][2][2][2][2][2] t{} = {};\n", i, table(10, next));
    }
    text += "  float[60000] u = {0.5";
    for (int i = 1; i < 60'000; i++) text += fmt::format(", {}.25e-{}", i, i % 10);
    return {"10-dimensional tables", text + "};\n  work push 1 { push(1); }\n}\n"};
}

/// Many small streams.
Input streams() {
    std::string text;
    for (int i = 0; i < 8'000; i++) {
        text += fmt::format(
            "// number {0}\nfloat->float filter F{0}(int n, float g) {{ float s;\n"
            "  work pop 1 push 1 peek n {{ s = g * pop() + s; push(s); }} }}\n"
            "float->float pipeline P{0} {{ add F{0}({0}, 0.5); add Identity<float>; }}\n",
            i);
    }
    return {"16,000 streams", text};
}

template <typename Work>
double milliseconds(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

/// The quickest way that ANTLR's manual shows: SLL mode, giving up at the first error.
void parseBare(const std::string& text) {
    antlr4::ANTLRInputStream input(text);
    strc::grammar::StrcLexer lexer(&input);
    antlr4::CommonTokenStream tokens(&lexer);
    strc::grammar::StrcParser parser(&tokens);
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
        antlr4::atn::PredictionMode::SLL);
    parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
    parser.program();
}

void parseToTree(const std::string& text) {
    strc::base::Context context;
    strc::parser::parse(context, context.sources.add("input.str", text));
    if (context.diags.hasErrors()) std::exit(1);
}

double median(std::vector<double> times) {
    std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
    return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    bool good = true;
    fmt::print("{:<24}{:>8}{:>14}{:>14}{:>8}\n", "input", "MB", "ANTLR ms", "tree ms", "ratio");
    for (const Input& input : {block(), tables(), streams()}) {
        std::vector<double> bare;
        std::vector<double> tree;
        parseBare(input.text);  // fills ANTLR's caches
        for (int i = 0; i < pairs; i++) {
            bare.push_back(milliseconds([&] { parseBare(input.text); }));
            tree.push_back(milliseconds([&] { parseToTree(input.text); }));
        }
        const double ratio = median(tree) / median(bare);
        good = good && ratio <= kMostRatio;
        fmt::print("{:<24}{:>8.1f}{:>14.0f}{:>14.0f}{:>8.2f}\n", input.name,
                   double(input.text.size()) / 1e6, median(bare), median(tree), ratio);
    }
    return good ? 0 : 1;
}
