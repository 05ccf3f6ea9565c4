#pragma once
/// Streams of items in files: raw words (language.md 17.2), WAV, NumPy .npy, CSV/text, PNG and PGM
/// images. Readers give items, writers take items, both in the memory layout of types/type.h.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "types/type.h"

namespace strc::io {

enum class Format : std::uint8_t { Raw, Wav, Npy, Csv, Png, Pgm };

/// By extension (".wav", ".npy", ".csv" ".txt", ".png", ".pgm"; anything else raw).
Format formatOf(std::string_view fileName);
/// "raw", "wav", …; empty if there is none of that name.
std::optional<Format> findFormat(std::string_view name);

class ItemReader {
public:
    virtual ~ItemReader() = default;
    /// Reads up to `count` items to `to`; returns how many there were (0: end of input).
    virtual base::Result<std::size_t> read(std::byte* to, std::size_t count) = 0;
    /// Starts again at the first item (--loop-input); false: the source cannot.
    virtual bool rewind() = 0;
    /// Items in all, if that is known.
    virtual std::optional<std::uint64_t> total() const { return std::nullopt; }
};

class ItemWriter {
public:
    virtual ~ItemWriter() = default;
    virtual base::Status write(const std::byte* from, std::size_t count) = 0;
    /// Completes headers, flushes and closes; called exactly once.
    virtual base::Status close() = 0;
};

struct StreamInfo {
    int channels = 1;        ///< WAV: interleaved; images: samples per pixel
    int sampleRate = 44100;  ///< WAV
    int width = 0;           ///< images
    int height = 0;          ///< images; 0: as many rows as come
};

/// "-" is standard input. Numbers convert as the item type asks: WAV and image samples become float
/// in [-1, 1) and [0, 255], or int as stored.
base::Result<std::unique_ptr<ItemReader>> openReader(const std::string& name, Format, const types::Type* item);
/// "-" is standard output. Creates or truncates.
base::Result<std::unique_ptr<ItemWriter>> openWriter(const std::string& name, Format, const types::Type* item,
                                                     const StreamInfo& = {});

}  // namespace strc::io
