// `strc opt`.
#include "driver/detail/compiler.h"

namespace strc::driver {

int optCommand(const Call& call) {
    Compiler compiler(call);
    compiler.addSources();
    if (call.reporter.hasErrors()) return call.reporter.status();
    const auto text = compiler.optimise();
    return text ? printResult(call, *text) : call.reporter.status();
}

}  // namespace strc::driver
