#pragma once
/// Items as numbers: what formats that know only numbers (all but raw) make of an item type, and the
/// bases of their readers and writers.

#include <vector>

#include "io/detail/bytes.h"
#include "io/items.h"

namespace strc::io {

/// An item of `count` numbers of one kind, which lie one after the other in memory. `complex` counts
/// as one number, float2 as two; a struct is what its fields are, if these are equal numbers. Empty: strings, portals.
struct Numbers {
    types::TypeKind kind = types::TypeKind::Error;  ///< Boolean, Bit, Int, Float, Double, Complex
    std::size_t size = 0;  ///< bytes of one
    std::uint64_t count = 0;
};
std::optional<Numbers> numbersOf(const types::Type* item);

/// A number on its way from one kind to another.
struct Number {
    double real = 0;
    double imag = 0;
    std::int64_t integer = 0;
    bool exact = false;  ///< `integer` is the value
};
inline Number ofInteger(std::int64_t value) { return {static_cast<double>(value), 0, value, true}; }
inline Number ofReal(double value) { return {value, 0, 0, false}; }

/// Converts as a cast of the language does; integers outside of 32 bits (signed or not) are refused,
/// as is what is neither 0 nor 1 for a bit or boolean. False: refused.
bool store(const Number&, types::TypeKind, std::byte* to);
Number load(types::TypeKind, const std::byte* from);

/// Reads whole items of a format that gives numbers; keeps the part of an item that came last until
/// its rest comes.
class NumberReader : public ItemReader {
public:
    NumberReader(std::unique_ptr<Source> opened, Numbers kind)
        : source(std::move(opened)), item(kind) {}
    base::Result<std::size_t> read(std::byte* to, std::size_t count) final;

protected:
    /// Reads up to `count` numbers, at least one except at the end.
    virtual base::Result<std::size_t> readNumbers(std::byte* to, std::size_t count) = 0;
    void forgetPart() { part.clear(); }

    std::unique_ptr<Source> source;
    Numbers item;

private:
    std::vector<std::byte> part;
    bool any = false;
};

/// What reading no item at all means: a fault, unless a signal stopped it.
base::Result<std::size_t> noItems(const Source&);

/// For each format: the reader of an opened source, the writer to an opened sink. The item type is
/// one that the format holds.
using OpenReader = base::Result<std::unique_ptr<ItemReader>>(std::unique_ptr<Source>,
                                                             const types::Type*);
using OpenWriter = base::Result<std::unique_ptr<ItemWriter>>(std::unique_ptr<Sink>,
                                                             const types::Type*, const StreamInfo&);
OpenReader openPngReader, openPgmReader, openJpegReader;
OpenWriter openPngWriter, openPgmWriter, openJpegWriter;

/// Base of all writers.
class SinkWriter : public ItemWriter {
public:
    explicit SinkWriter(std::unique_ptr<Sink> opened) : sink(std::move(opened)) {}
    base::Status flush() override { return sink->flush(); }
    bool readerGone() const override { return sink->readerGone(); }

protected:
    std::unique_ptr<Sink> sink;
};

}  // namespace strc::io
