#include "target/model.h"

namespace strc::target {
namespace {

void setRegisters(Model& model, std::int64_t bytes, std::int64_t count, bool fusesProducts) {
    model.vectorBytes = bytes;
    model.vectorRegisters = count;
    model.fusesProducts = fusesProducts;
}

}  // namespace

Model modelOf(Architecture architecture, const HasFeature& has) {
    Model model;
    switch (architecture) {
        case Architecture::AArch64: setRegisters(model, 16, 32, true); break;
        case Architecture::Other: setRegisters(model, 16, 16, false); break;
        case Architecture::X86:
            if (has("avx512f"))
                setRegisters(model, 64, 32, true);
            else
                setRegisters(model, has("avx") ? 32 : 16, 16, has("fma"));
    }
    return model;
}

}  // namespace strc::target
