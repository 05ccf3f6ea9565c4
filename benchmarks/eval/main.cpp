// benchmark_eval [KERNEL...]: seconds of processor time that each kernel takes, one `name seconds` a line;
// with --code the code it runs.

#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "eval/eval.h"
#include "ir/text.h"
#include "kernels.h"

namespace {

using namespace strc;

double seconds(const bench::Kernel& kernel, bool showCode) {
    types::TypeTable types;
    base::NameTable names;
    auto module = ir::parse(kernel.text, types, names);
    if (!module) {
        std::fprintf(stderr, "%s: %s\n", kernel.name, module.error().c_str());
        return -1;
    }
    eval::Instance instance;
    instance.module = &*module;
    instance.code = &module->streams[0];
    eval::Host host;
    instance.host = &host;
    eval::Machine machine{base::Limits{}};
    eval::Firing setup;
    machine.run(*eval::compile(*module, instance.code, instance.code->setup, types), instance,
                setup);
    eval::CodePtr code =
        eval::compile(*module, instance.code, *instance.code->work, types, instance.fieldOffsets);
    if (showCode) std::printf("%s", eval::disassemble(*code).c_str());
    eval::Tape input{4}, output{4};
    instance.input = &input;
    instance.output = &output;
    std::memset(input.append(64), 0, 256);
    std::clock_t begin = std::clock();
    for (int k = 0; k < kernel.firings; ++k) {
        std::memset(input.append(), 0, 4);
        eval::Firing firing;
        firing.popLimit = 1;
        firing.peekLimit = 64;
        firing.pushLimit = 1;
        machine.fire(*code, instance, firing);
        output.drop();
    }
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
    bool showCode = false;
    std::vector<std::string> wanted;
    for (int k = 1; k < argc; ++k) {
        if (std::string(argv[k]) == "--code")
            showCode = true;
        else
            wanted.push_back(argv[k]);
    }
    for (const bench::Kernel& kernel : bench::kKernels) {
        bool chosen = wanted.empty();
        for (const std::string& name : wanted) chosen = chosen || name == kernel.name;
        if (chosen) std::printf("%s %.4f\n", kernel.name, seconds(kernel, showCode));
    }
}
