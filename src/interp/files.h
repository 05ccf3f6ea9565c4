#pragma once
/// The files that filters of a program read and write.

#include <functional>
#include <memory>

#include "base/context.h"
#include "elab/elaborate.h"
#include "io/items.h"

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

}  // namespace strc::interp
