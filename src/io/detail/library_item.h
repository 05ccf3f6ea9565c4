#pragma once
/// What the library of files is told about the items of a stream, with the memory that this takes.

#include <string>
#include <vector>

#include "io/item_types.h"
#include "io/tensors.h"
#include "io/turns.h"
#include "strc/files/format.h"

namespace strc::io {

class LibraryItem {
public:
    /// Of numbers, in one file.
    explicit LibraryItem(const types::Type*);
    /// Of numbers, in files that take turns.
    LibraryItem(const types::Type*, const std::vector<TurnFile>&);
    /// Of tensors, in files that take turns. `owner`: what messages call who reads.
    LibraryItem(const TensorItems&, const std::vector<TensorFile>&, std::string owner);
    LibraryItem(const LibraryItem&) = delete;
    LibraryItem& operator=(const LibraryItem&) = delete;

    /// Lives as long as this.
    strc_item get() const;

private:
    ItemTypes rows;
    std::uint32_t number;
    std::string name, owner;
    std::vector<std::int64_t> shapes;
    std::uint32_t tensors = 0;
    bool holdsRaw = false, holdsOthers = false;
    std::vector<std::string> fileNames;
    std::vector<const char*> files;
    std::vector<std::uint64_t> turns;
};

}  // namespace strc::io
