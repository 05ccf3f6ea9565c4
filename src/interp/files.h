#pragma once
/// The files that filters of a program read and write.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/context.h"
#include "elab/elaborate.h"
#include "graph/ending.h"
#include "io/items.h"
#include "io/supply.h"
#include "strc/sounds.h"

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

/// False after reporting: a filter writes a file that another one reads, and would destroy it.
bool checkFiles(base::Context&, const elab::Elaboration&);

/// Reports what a file said while the program ran. `node`: whose file that is, kNone for an open end.
base::Diagnostic& reportFile(base::Context&, const elab::Elaboration&, graph::NodeId,
                             const base::Failure&);

/// Files that filters write, by name: several filters may write one.
class WrittenFiles {
public:
    /// What is read, before anything is opened to write.
    void hear(const io::ItemReader& reader, const types::Type* item);
    /// Opens it if it is not open yet; null after reporting why not.
    io::ItemWriter* open(base::Context&, const elab::Elaboration&, graph::NodeId);
    /// False after reporting what could not be written.
    bool flush(base::Context&, const elab::Elaboration&);
    bool close(base::Context&, const elab::Elaboration&);

private:
    /// What is not said of a sound is as in those that are read.
    io::StreamInfo completed(io::StreamInfo said, const types::Type* item) const;

    struct File {
        std::unique_ptr<io::ItemWriter> writer;
        graph::NodeId node;  ///< the first that writes it
    };
    std::map<std::string, File> files;
    strc_heard heard{};
};
/// The same for the open output.
bool closeOutput(base::Context&, const elab::Elaboration&, io::ItemWriter&);

/// Warns of items that did not come to be used; how many those are.
std::uint64_t reportItemsLeft(base::Context&, const io::Supply&);
/// What --limit counts: the items of the open output, else printed lines, else items of the files that are written. What
/// is printed without an end of a line does not count.
enum class Limited : std::uint8_t { Items, Lines, FileItems, Nothing };
Limited whatIsLimited(const ir::Module&, const elab::Elaboration&);

/// Warns of items that stay on tapes.
void reportWaiting(base::Context&, const graph::Graph&, const graph::Waiting&);
/// Warns of bytes at the end that are no item, and of those that the file told of and has not. `assumed`: nobody said what format the input has.
void reportBytesLeft(base::Context&, const io::Supply&, bool assumed);

}  // namespace strc::interp
