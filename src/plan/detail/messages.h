#pragma once
/// Who sends to whom, and when that is due. Private to plan.

#include "base/context.h"
#include "plan/plan.h"

namespace strc::plan {

/// Fills Plan::mailboxes and Plan::routes. False after reporting deadlines that would be too long a table.
bool findMessages(base::Context&, Plan&, const graph::Repetitions&);

}  // namespace strc::plan
