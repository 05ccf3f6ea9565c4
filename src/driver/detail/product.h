#pragma once
/// What `strc build` makes: an executable, a library, the folder of a plug-in.

#include <string>

#include "driver/detail/options.h"

namespace strc::driver {

/// What the product of a source file NAME.str is called, unless the call says it.
std::string productName(const Options&, const std::string& name);

/// Reports options that do not go together with what is made, or need another product.
void checkProduct(const Options&, base::Diagnostics&);

}  // namespace strc::driver
