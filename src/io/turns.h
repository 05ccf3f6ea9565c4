#pragma once
/// Several files of numbers at one end of a program: so many items of the first, then so many of the second, and so on,
/// over and over.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/items.h"

namespace strc::io {

struct TurnFile {
    std::string name;
    Format format = Format::Raw;
    std::uint64_t items = 1;  ///< of a turn
};

/// As openReader: the file that ends first ends all.
base::Result<std::unique_ptr<ItemReader>> openTurnsReader(const std::vector<TurnFile>&,
                                                          const types::Type* item,
                                                          std::function<void()> beforeWaiting = {});
/// As openWriter.
base::Result<std::unique_ptr<ItemWriter>> openTurnsWriter(const std::vector<TurnFile>&,
                                                          const types::Type* item,
                                                          const StreamInfo& info = {});

}  // namespace strc::io
