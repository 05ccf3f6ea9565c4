#pragma once
/// Formats of the library of files (runtime/files), which executables read and write by, too.

#include <functional>
#include <memory>
#include <string>

#include "io/items.h"
#include "strc/files/format.h"

namespace strc::io {

/// Can files of that format hold such items?
bool holdsItem(const strc_format&, const types::Type* item);

/// As openReader and openWriter (io/items.h). The format holds such items.
base::Result<std::unique_ptr<ItemReader>> openLibraryReader(const strc_format&,
                                                            const std::string& name,
                                                            const types::Type* item,
                                                            std::function<void()> beforeWaiting);
base::Result<std::unique_ptr<ItemWriter>> openLibraryWriter(const strc_format&,
                                                            const std::string& name,
                                                            const types::Type* item,
                                                            const StreamInfo&);

}  // namespace strc::io
