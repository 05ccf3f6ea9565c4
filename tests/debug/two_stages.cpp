/// A program inside of C++ for gdb_test.py: two filters that one function has recorded, each with an unrolled loop.
#include <cstdio>
#include <strc/dsl.h>
#include <vector>

using namespace strc;

static Stream fir(const std::vector<float>& weights) {
    return filter<float, float>("Fir", [&](Filter<float, float>& f) {
        const int taps = static_cast<int>(weights.size());
        f.work({.pop = 1, .push = 1, .peek = taps}, [&] {
            Var<float> sum("sum", 0);
            Var<int> tap("tap", 0);
            for (int k = 0; k < taps; k++) {
                tap = k;
                sum += f.peek(k) * weights[static_cast<std::size_t>(k)];  // stop here
            }
            f.push(sum);
            f.pop();
        });
    });
}

int main() {
    Program program =
        compile(pipeline(fir({0.5f, 0.25f}), fir({1, -1})), {.level = 0, .more = {{"g", ""}}});
    std::fputs(program.errors().c_str(), stderr);
    if (!program) return 1;
    const std::vector<float> in = {1, 2, 4, 8};
    std::vector<float> out(4);
    const Progress done = program.process(in, out);
    for (std::size_t k = 0; k < done.given; k++) std::printf("%g\n", static_cast<double>(out[k]));
}
