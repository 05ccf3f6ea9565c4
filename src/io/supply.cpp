#include "io/supply.h"

#include <algorithm>
#include <new>

#include "base/assert.h"
#include "io/detail/library_files.h"

namespace strc::io {

const strc_format Supply::anyReader = [] {
    strc_format made{};
    made.name = "";
    made.read = [](strc_reader* reader, void* to, std::uint64_t count) {
        return of(reader).read(static_cast<std::byte*>(to), count);
    };
    made.rewind = [](strc_reader* reader) { return of(reader).reader->rewind() ? 1 : 0; };
    made.total = [](const strc_reader* reader) {
        return of(reader).reader->total().value_or(STRC_UNKNOWN);
    };
    return made;
}();

Supply::Supply(ItemReader& items, std::string name, const types::Type* item, SupplyOptions options)
    : reader(&items),
      file(std::move(name)),
      itemSize(static_cast<std::uint64_t>(types::sizeOf(item))),
      loops(options.loop),
      straight(options.straight ? dynamic_cast<LibraryReader*>(reader) : nullptr) {
    type.size = itemSize;
    asked.format = &anyReader;
    asked.own = this;
    asked.item.type = &type;
    asked.source.name = file.c_str();
    asked.source.origin = faults.origin();
    asked.is_piped = 1;  // what `take` gives has been read before
    strc_supply_begin(&supply, straight ? &straight->inLibrary() : &asked, options.loop ? 1 : 0,
                      options.padTail ? 1 : 0, options.flush, options.mostBytes);
}

Supply::Supply(std::unique_ptr<ItemReader> items, std::string name, const types::Type* item,
               SupplyOptions options)
    : Supply(*items, std::move(name), item, options) {
    owned = std::move(items);
}

/// The caller is C: no exception passes it.
std::int64_t Supply::read(std::byte* to, std::uint64_t count) {
    try {
        base::Result<std::size_t> got = reader->read(to, static_cast<std::size_t>(count));
        if (got) return static_cast<std::int64_t>(*got);
        failed = got.failure();
    } catch (...) {
        thrown = std::current_exception();
    }
    return -1;
}

std::optional<base::Failure> Supply::fault() {
    if (thrown) std::rethrow_exception(thrown);
    if (!failed) failed = straight ? straight->takeFault() : faults.take();
    return failed;
}

base::Failure Supply::failure() {
    const std::optional<base::Failure> told = fault();
    STRC_ASSERT(told, "an input failed without a word");
    return *told;
}

base::Result<bool> Supply::has(std::uint64_t wanted) {
    if (wanted > supply.most_bytes / itemSize) throw std::bad_alloc();
    const int there = strc_supply_has(&supply, wanted);
    if (there < 0) return failure();
    return there != 0;
}

base::Result<std::uint64_t> Supply::still(std::uint64_t most) {
    const auto wanted = static_cast<std::int64_t>(std::min<std::uint64_t>(most, INT64_MAX));
    const std::int64_t there = strc_supply_still(&supply, wanted);
    if (there < 0) return failure();
    return static_cast<std::uint64_t>(there);
}

bool Supply::hasAtOnce(std::uint64_t wanted) {
    return strc_supply_has_at_once(&supply, wanted) != 0;
}

void Supply::mark() { strc_supply_mark(&supply); }

void Supply::giveBack() { strc_supply_give_back(&supply); }

void Supply::keep() { strc_supply_keep(&supply); }

bool Supply::take(std::byte* to, std::uint64_t items) {
    const bool isTaken = strc_supply_take(&supply, to, items) == 0;
    STRC_ASSERT(isTaken || straight, "items that were not promised");
    return isTaken;
}

std::vector<ItemReader::Part> Supply::left() const {
    std::vector<ItemReader::Part> parts = reader->parts();
    if (parts.empty() || loops) return {{file, strc_supply_left(&supply, 0).items}};
    std::vector<ItemReader::Part> left;
    std::vector<std::uint64_t> turns;
    for (const ItemReader::Part& part : parts) turns.push_back(part.turn);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::uint64_t used = strc_turns_share({turns.data(), turns.size()}, k, supply.taken);
        parts[k].items -= std::min(parts[k].items, used);
        // The tensors of one file follow each other.
        if (left.empty() || left.back().file != parts[k].file)
            left.push_back(parts[k]);
        else
            left.back().items += parts[k].items;
    }
    return left;
}

}  // namespace strc::io
