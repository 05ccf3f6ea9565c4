#include "target/model.h"

namespace strc::target {
namespace {

void setRegisters(Model& model, std::int64_t bytes, std::int64_t count, bool fusesProducts) {
    model.vectorBytes = bytes;
    model.vectorRegisters = count;
    model.fusesProducts = fusesProducts;
}

Dots dotsOf(const HasFeature& has) {
    if (has("avx512vnni") && has("avx512vl")) return Dots::UnsignedFours;
    if (!has("avx512f") && has("avxvnni")) return Dots::UnsignedFours;
    return has(has("avx512f") ? "avx512bw" : "avx2") ? Dots::Pairs : Dots::None;
}

}  // namespace

Model modelOf(Architecture architecture, const HasFeature& has) {
    Model model;
    switch (architecture) {
        case Architecture::AArch64:
            setRegisters(model, 16, 32, true);
            if (has("dotprod")) model.dots = Dots::Fours;
            break;
        case Architecture::Other: setRegisters(model, 16, 16, false); break;
        case Architecture::X86:
            if (has("avx512f"))
                setRegisters(model, 64, 32, true);
            else
                setRegisters(model, has("avx") ? 32 : 16, 16, has("fma"));
            model.dots = dotsOf(has);
    }
    return model;
}

}  // namespace strc::target
