#pragma once
/// The files that filters of a program read and write.

#include <functional>
#include <memory>

#include "base/context.h"
#include "elab/elaborate.h"
#include "io/items.h"
#include "io/supply.h"

namespace strc::interp {

/// What kind of file a reading or writing filter means, and what its parameters say about it.
struct FileKind {
    io::Format format = io::Format::Raw;
    io::StreamInfo info;
};
FileKind fileKind(const elab::Elaboration&, graph::NodeId);

/// Opens the file of a reading or writing filter; null after reporting why not.
std::unique_ptr<io::ItemReader> openReader(base::Context&, const elab::Elaboration&, graph::NodeId,
                                           const std::function<void()>& beforeWaiting);
std::unique_ptr<io::ItemWriter> openWriter(base::Context&, const elab::Elaboration&, graph::NodeId);

/// Warns of items that did not come to be used; how many those are.
std::uint64_t reportItemsLeft(base::Context&, const io::Supply&);
/// Warns of bytes at the end that are no item. `assumed`: nobody said what format the input has.
void reportBytesLeft(base::Context&, const io::Supply&, bool assumed);

}  // namespace strc::interp
