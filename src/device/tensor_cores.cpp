#include "device/detail/tensor_cores.h"

#include "base/pass.h"
#include "types/tensor_elements.h"

namespace strc::device {
namespace {

void collect(Actions& actions, bool isFast, std::vector<Contract*>& found) {
    for (Action& action : actions) {
        if (auto* loop = std::get_if<Repeat>(&action.what)) collect(loop->body, isFast, found);
        if (auto* all = std::get_if<Persist>(&action.what)) collect(all->otherwise, isFast, found);
        auto* sum = std::get_if<Contract>(&action.what);
        if (!sum) continue;
        const bool isRounded = isFast && sum->factor->is(types::TypeKind::Float);
        if (isRounded || types::isNarrow(sum->factor->kind)) found.push_back(sum);
    }
}

}  // namespace

void useTensorCores(base::Passes& passes, Firing& firing, const std::string& name, bool isFast) {
    std::vector<Contract*> sums;
    collect(firing.actions, isFast, sums);
    if (sums.empty()) return;
    base::PassRun run(passes, base::Pass::DeviceTensorCores, "filter '" + name + "'");
    if (!run) return;
    for (Contract* sum : sums) sum->isForTensorCores = true;
    run.show([&] { return print(firing, name); });
}

}  // namespace strc::device
