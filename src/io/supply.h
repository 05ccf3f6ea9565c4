#pragma once
/// An input of a running program: read ahead, so that an engine can ask whether there is enough before it
/// begins something (language.md 17.2), and continued at its end as the run was told.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/items.h"

namespace strc::io {

struct SupplyOptions {
    bool loop = false;  ///< --loop-input: after the last item the first again
    bool padTail = false;  ///< --tail=pad: zeros where the last items do not suffice
    std::uint64_t flush =
        0;  ///< zeros behind the last item, at least, that bring out what the program holds
    std::uint64_t mostBytes = UINT64_MAX;  ///< of what is read ahead
};

class Supply {
public:
    /// `items` outlives this; `name` is what messages call it.
    Supply(ItemReader& items, std::string name, const types::Type* item, SupplyOptions);
    Supply(std::unique_ptr<ItemReader> items, std::string name, const types::Type* item,
           SupplyOptions);

    /// Reads ahead until `wanted` items are there; false: there never will be. A failure: the input cannot
    /// be read any further. Throws std::bad_alloc if so many are more than may be read ahead.
    base::Result<bool> has(std::uint64_t wanted);
    /// The same without waiting for a pipe and without filling up the end.
    bool hasAtOnce(std::uint64_t wanted);
    /// The next items, which `has` has promised.
    void take(std::byte* to, std::uint64_t items);

    /// From here on what is taken is kept; giveBack makes it the next items again; keep ends that.
    void mark();
    void giveBack();
    void keep();

    const std::string& name() const { return file; }
    std::uint64_t bytesOf(std::uint64_t items) const { return items * itemSize; }
    std::uint64_t given() const { return taken; }
    std::optional<std::uint64_t> total() const { return reader->total(); }
    /// Items at the end that did not come to be used, by file; none if the end was padded.
    std::vector<ItemReader::Part> left() const;
    /// Bytes at the end that are no item. They are never used.
    ItemReader::Rest rest() const { return reader->rest(); }
    std::uint64_t missing() const { return reader->missing(); }
    /// No item has been read.
    bool isEmpty() const { return taken == 0 && ahead.empty(); }
    bool isPadded() const { return padded != 0; }
    /// Items of the input behind those taken, as far as `most` matters, read ahead.
    base::Result<std::uint64_t> still(std::uint64_t most);

private:
    struct Mark {
        std::size_t first;
        std::uint64_t taken;
    };

    std::uint64_t leftOfOne() const;
    std::uint64_t size() const { return (ahead.size() - first) / itemSize; }
    bool pads() const;
    void readUntil(std::uint64_t wanted);
    void dropTaken();
    base::Result<std::size_t> readMore(std::uint64_t wanted);

    std::unique_ptr<ItemReader> owned;
    ItemReader* reader;
    std::string file;
    std::uint64_t itemSize;
    SupplyOptions options;
    std::vector<std::byte> ahead;  ///< read, not yet taken, from `first` on
    std::size_t first = 0;
    std::uint64_t taken = 0;
    std::optional<Mark> marked;
    std::uint64_t padded = 0;
    std::uint64_t sinceRewind = 1;  ///< items; 0: the input has none at all
    bool ended = false;
    std::optional<base::Failure> fault;  ///< behind all that has been read
};

}  // namespace strc::io
