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
    /// Notes what is read, before anything is opened to write: the file of a filter, or (kNone) of the open input.
    void hear(const graph::Graph&, graph::NodeId, const io::ItemReader& reader,
              const std::string& name);
    /// When all have been heard: warns of sounds that are not what the program, as it is before passes, takes, where it
    /// does not say what it wants.
    void compare(base::Context&, const elab::Elaboration&, const graph::Repetitions&);
    /// Completes the header of a sound that goes to the open output by those that were heard.
    void complete(const types::Type* item, io::ItemWriter& output) const;
    /// Opens it if it is not open yet; null after reporting why not.
    io::ItemWriter* open(base::Context&, const elab::Elaboration&, graph::NodeId);
    /// False after reporting what could not be written.
    bool flush(base::Context&, const elab::Elaboration&);
    bool close(base::Context&, const elab::Elaboration&);

private:
    /// Instances are told by their paths, which passes leave as they are.
    struct Heard {
        std::string path;  ///< empty: the open input
        std::string name;
        strc_stream_info info;
        std::vector<std::uint64_t> turns;  ///< of the files that take turns, if it is one of them
        std::size_t place;  ///< among these

        /// Its own of so many items of all.
        std::uint64_t shareOf(std::uint64_t items) const;
    };

    struct File {
        std::unique_ptr<io::ItemWriter> writer;
        graph::NodeId node;  ///< the first that writes it
    };
    std::map<std::string, File> files;
    strc_sound_use useOf(const std::string& path, const types::Type* item) const;

    std::vector<Heard> sounds;  ///< to be compared
    std::map<std::string, std::uint64_t> items;  ///< that are written in a steady state, by path
    strc_heard heard{};
};

/// The program took its open input to be so.
strc_stream_info assumedOf(const graph::Graph&);
/// Items in a steady state of the file of a filter with that path, or of the open input or output (an empty one); 0: that is
/// not known.
std::int64_t steadyItems(const graph::Graph&, const graph::Repetitions&, const std::string& path,
                         bool isInput);
/// Bit c: of a sound of c channels that is read there, filters of the library mix them.
std::uint64_t mixedChannels(const graph::Graph&, const std::string& path);
/// Steady states a second, by what the program's streams are told of rates.
std::vector<double> pacesOf(const graph::Graph&, const graph::Repetitions&);

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
/// Warns of frames of a sound device that were "lost", or "silence".
void reportDropouts(base::Context&, const std::string& device, std::uint64_t frames,
                    std::string_view what);

}  // namespace strc::interp
