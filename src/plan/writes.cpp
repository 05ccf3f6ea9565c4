#include "plan/writes.h"

namespace strc::plan {

std::int64_t itemsWritten(const std::vector<Step>& steps) {
    std::int64_t items = 0;
    for (const Step& step : steps) {
        if (step.kind == StepKind::Write) items += step.count;
        if (step.kind == StepKind::Loop) items += step.count * itemsWritten(step.body);
    }
    return items;
}

}  // namespace strc::plan
