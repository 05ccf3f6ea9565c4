#include "opt/registry.h"

#include <array>

#include "horizontal/branches.h"
#include "horizontal/horizontal.h"
#include "linear/linear.h"
#include "opt/detail/batch_tiling.h"
#include "opt/detail/body_functions.h"
#include "opt/detail/delays_to_windows.h"
#include "opt/detail/fuse_tensors.h"
#include "opt/detail/remove_reinterpret_casts.h"
#include "opt/detail/tensor_body.h"
#include "opt/detail/tensor_passes.h"
#include "opt/detail/unroll.h"
#include "pass/run.h"

namespace strc::opt {
namespace {

using base::Pass;

/// What stands in the column `function` of a row without one.
[[maybe_unused]] constexpr std::nullptr_t none = nullptr;

constexpr pass::Row ofProgram(Pass id, pass::ProgramFunction* function) { return {id, function}; }
constexpr pass::Row ofKernel(Pass id, pass::KernelFunction* function) {
    return {id, nullptr, function,
            id == Pass::Inline     ? callsFunctions
            : id == Pass::Tabulate ? computesFunctions
                                   : nullptr};
}
constexpr pass::Row ofOthers(Pass id, std::nullptr_t /*function*/) { return {id}; }

constexpr std::array kRows{
#define STRC_ROW_Source ofOthers
#define STRC_ROW_Program ofProgram
#define STRC_ROW_Kernel ofKernel
#define STRC_ROW_Tensors ofKernel
#define STRC_ROW_Loops ofKernel
#define STRC_ROW_Plan ofOthers
#define STRC_ROW_Code ofOthers
#define STRC_PASS(Id, kind, level, product, function, name, what) \
    STRC_ROW_##level(Pass::Id, function),
#include "base/passes.def"
#undef STRC_PASS
#undef STRC_ROW_Source
#undef STRC_ROW_Program
#undef STRC_ROW_Kernel
#undef STRC_ROW_Tensors
#undef STRC_ROW_Loops
#undef STRC_ROW_Plan
#undef STRC_ROW_Code
};

}  // namespace

pass::Table passTable() { return kRows; }

}  // namespace strc::opt
