// A small network: two layers whose weights C++ computes, and the softmax of the language's library.
#include <vector>

#include "example.h"

using namespace strc;

namespace {

using Matrix = std::vector<std::vector<float>>;

/// Weights that look learned.
Matrix weights(int rows, int columns) {
    Matrix made(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            made[static_cast<std::size_t>(i)].push_back(
                static_cast<float>((7 * i + 3 * k + i * k) % 11 - 5) / 8.0f);
    return made;
}

Stream layer(int inputs, int outputs, bool isLast) {
    return filter<Tensor<>, Tensor<>>("Layer", [&](Filter<Tensor<>, Tensor<>>& f) {
        auto w = f.tensor("w", weights(inputs, outputs));
        f.work({.pop = 1, .push = 1}, [&] {
            const Value<Tensor<>> x = matmul(f.pop(), w);
            if (isLast)
                f.push(x);
            else
                f.push(relu(x - 0.25f));
        });
    });
}

/// Rows of numbers.
Stream source(int width) {
    return filter<void, Tensor<>>("Source", [=](Filter<void, Tensor<>>& f) {
        auto k = f.field<int>("k");
        f.work({.push = 1}, [&] {
            Array<float> row("row", {static_cast<std::size_t>(width)});
            For(0, width, [&](Value<int> i) { row[i] = ((k * 5 + i * 3) % 7) / 4.0f; });
            f.push(row);
            k++;
        });
    });
}

Stream printer(int width) {
    return filter<Tensor<>, void>("Printer", {.pop = 1}, [=](auto& f) {
        const auto x = f.pop();
        for (int i = 0; i < width; i++) {
            print(element(x, i));
            if (i + 1 < width) print(" ");
        }
        println("");
    });
}

}  // namespace

int main(int argc, char** argv) {
    Program program = compile(pipeline(source(6), layer(6, 16, false), layer(16, 4, true),
                                       library<Tensor<>, Tensor<>>("softmax"), printer(4))
                                  .as("Network"));
    std::fputs(program.errors().c_str(), stderr);
    if (!program) return 1;
    if (argc > 1 && std::strcmp(argv[1], "--str") == 0)
        return std::fputs(program.str().c_str(), stdout) < 0;
    const RunResult result = program.run({.iterations = 10});
    std::fputs(result.printed.c_str(), stdout);
    return result ? 0 : 1;
}
