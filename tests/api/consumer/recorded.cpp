// A program made by C++, with what is installed: strc::dsl.
#include <strc/dsl.h>

#include <cstdio>
#include <vector>

int main() {
    auto twice = strc::filter<int, int>("Twice", {.pop = 1, .push = 1}, [](auto& f) { f.push(2 * f.pop()); });
    strc::Program program = strc::compile(twice);
    std::fputs(program.errors().c_str(), stderr);
    const std::vector<int> in = {1, 2, 3};
    std::vector<int> out(3);
    if (!program.process(in, out)) return 1;
    for (const int each : out) std::printf("%d\n", each);
}
