#pragma once
/// An input of a running program: read ahead, so that an engine can ask whether there is enough before it
/// begins something (language.md 17.2), and continued at its end as the run was told: strc_supply for any reader of items.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/faults.h"
#include "io/items.h"
#include "strc/files/supply.h"

namespace strc::io {

class LibraryReader;

struct SupplyOptions {
    bool loop = false;  ///< --loop-input: after the last item the first again
    bool padTail = false;  ///< --tail=pad: zeros where the last items do not suffice
    std::uint64_t flush =
        0;  ///< zeros behind the last item, at least, that bring out what the program holds
    std::uint64_t mostBytes = UINT64_MAX;  ///< of what is read ahead
    /// What is in a file is not read ahead but straight to where it is taken, so that taking it may fail.
    bool straight = false;
};

class Supply {
public:
    /// `items` outlives this; `name` is what messages call it.
    Supply(ItemReader& items, std::string name, const types::Type* item, SupplyOptions);
    Supply(std::unique_ptr<ItemReader> items, std::string name, const types::Type* item,
           SupplyOptions);
    ~Supply() { strc_supply_free(&supply); }
    Supply(const Supply&) = delete;
    Supply& operator=(const Supply&) = delete;

    /// Reads ahead until `wanted` items are there; false: there never will be. A failure: the input cannot
    /// be read any further. Throws std::bad_alloc if so many are more than may be read ahead.
    base::Result<bool> has(std::uint64_t wanted);
    /// The same without waiting for a pipe and without filling up the end.
    bool hasAtOnce(std::uint64_t wanted);
    /// The next items, which `has` has promised. False: a file that is read straight does not have them any more, as `fault` says.
    bool take(std::byte* to, std::uint64_t items);
    /// What has failed: it fails for good. Nothing after a signal, and as long as a mark stands: what has been given back is
    /// taken once more, and only then it is a fault.
    std::optional<base::Failure> fault();

    /// From here on what is taken is kept; giveBack makes it the next items again; keep ends that.
    void mark();
    void giveBack();
    void keep();

    const std::string& name() const { return file; }
    std::uint64_t bytesOf(std::uint64_t items) const { return items * itemSize; }
    std::uint64_t given() const { return supply.taken; }
    std::optional<std::uint64_t> total() const { return reader->total(); }
    /// Items at the end that did not come to be used, by file; none if the end was padded.
    std::vector<ItemReader::Part> left() const;
    /// Bytes at the end that are no item. They are never used.
    ItemReader::Rest rest() const { return reader->rest(); }
    std::uint64_t missing() const { return reader->missing(); }
    std::uint64_t dropouts() const { return reader->dropouts(); }
    /// No item has been read.
    bool isEmpty() const { return supply.taken == 0 && supply.last == 0; }
    bool isPadded() const { return supply.padded != 0; }
    /// Items of the input behind those taken, as far as `most` matters, read ahead.
    base::Result<std::uint64_t> still(std::uint64_t most);

private:
    static const strc_format anyReader;
    static Supply& of(const strc_reader* reader) { return *static_cast<Supply*>(reader->own); }
    std::int64_t read(std::byte* to, std::uint64_t count);
    base::Failure failure();

    std::unique_ptr<ItemReader> owned;
    ItemReader* reader;
    std::string file;
    std::uint64_t itemSize;
    bool loops;
    strc_type type{};  ///< of the items, as far as their size
    LibraryReader* straight;  ///< null: the reader is asked by `asked`
    strc_reader asked{};
    Faults faults;
    std::optional<base::Failure> failed;
    std::exception_ptr thrown;  ///< by the reader
    strc_supply supply{};
};

}  // namespace strc::io
