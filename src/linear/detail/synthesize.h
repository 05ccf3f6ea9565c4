#pragma once
/// A linear form as the code of a filter: loops over constants where rows are long, code without loops where
/// they are short.

#include <string>

#include "elab/elaborate.h"
#include "linear/detail/form.h"

namespace strc::linear {

elab::Kernel synthesize(const Form&, const std::string& name, base::SourceRange, types::TypeTable&);

}  // namespace strc::linear
