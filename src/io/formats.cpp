#include <algorithm>
#include <array>
#include <cctype>

#include "io/items.h"
#include "io/numbers.h"
#include "io/tensors.h"

namespace strc::io {

using base::Result;

namespace {

bool holdsNumbers(const types::Type* item) {
    return numbersOf(item) && !types::innermost(item)->is(types::TypeKind::Struct);
}

bool holdsSamples(const types::Type* item) {
    auto numbers = numbersOf(item);
    return numbers && numbers->kind >= types::TypeKind::Int &&
           numbers->kind <= types::TypeKind::Complex;
}

/// Real and imaginary parts take turns: an item has as many of these as of those.
bool holdsPairs(const types::Type* item) {
    return holdsSamples(item) &&
           (numbersOf(item)->kind == types::TypeKind::Complex || numbersOf(item)->count % 2 == 0);
}

bool holdsPixels(const types::Type* item) {
    return holdsSamples(item) && numbersOf(item)->kind != types::TypeKind::Complex;
}

/// Tensors alone (io/tensors.h).
bool holdsNoItems(const types::Type*) { return false; }

struct Row {
    Format format;
    std::string_view name;
    bool (*holds)(const types::Type*);
    OpenReader* reader;
    OpenWriter* writer;
};

template <strc_coding coding, std::uint32_t size>
Result<std::unique_ptr<ItemReader>> readSamples(std::unique_ptr<Source> source,
                                                const types::Type* item) {
    return openSampleReader(std::move(source), item, {coding, size});
}

template <strc_coding coding, std::uint32_t size>
Result<std::unique_ptr<ItemWriter>> writeSamples(std::unique_ptr<Sink> sink,
                                                 const types::Type* item, const StreamInfo&) {
    return openSampleWriter(std::move(sink), item, {coding, size});
}

template <strc_coding coding, std::uint32_t size>
constexpr Row samples(Format format, std::string_view name, bool (*holds)(const types::Type*)) {
    return {format, name, holds, readSamples<coding, size>, writeSamples<coding, size>};
}

constexpr std::array kFormats{
    Row{Format::Raw, "raw", holdsRaw, openRawReader, openRawWriter},
    Row{Format::Wav, "WAV", holdsSamples, openWavReader, openWavWriter},
    Row{Format::Npy, "npy", holdsNumbers, openNpyReader, openNpyWriter},
    Row{Format::Csv, "text", holdsText, openCsvReader, openCsvWriter},
    Row{Format::Png, "PNG", holdsPixels, openPngReader, openPngWriter},
    Row{Format::Pgm, "PGM", holdsPixels, openPgmReader, openPgmWriter},
    samples<STRC_SAMPLE_SIGNED, 2>(Format::Pcm, "PCM", holdsSamples),
    Row{Format::Jpeg, "JPEG", holdsPixels, openJpegReader, openJpegWriter},
    Row{Format::Safetensors, "safetensors", holdsNoItems, nullptr, nullptr},
    samples<STRC_SAMPLE_UNSIGNED, 1>(Format::U8, "u8", holdsSamples),
    samples<STRC_SAMPLE_SIGNED, 1>(Format::S8, "s8", holdsSamples),
    samples<STRC_SAMPLE_UNSIGNED, 1>(Format::Cu8, "cu8", holdsPairs),
    samples<STRC_SAMPLE_SIGNED, 1>(Format::Cs8, "cs8", holdsPairs),
    samples<STRC_SAMPLE_SIGNED, 2>(Format::Cs16, "cs16", holdsPairs),
    samples<STRC_SAMPLE_FLOATING, 4>(Format::Cf32, "cf32", holdsPairs),
};

/// Names of --in-format and extensions, which are the same words.
struct Word {
    std::string_view word;
    Format format;
};

constexpr std::array kWords{
    Word{"raw", Format::Raw},   Word{"bin", Format::Raw},
    Word{"dat", Format::Raw},   Word{"data", Format::Raw},
    Word{"pcm", Format::Pcm},   Word{"out", Format::Raw},
    Word{"wav", Format::Wav},   Word{"wave", Format::Wav},
    Word{"npy", Format::Npy},   Word{"csv", Format::Csv},
    Word{"text", Format::Csv},  Word{"txt", Format::Csv},
    Word{"tsv", Format::Csv},   Word{"png", Format::Png},
    Word{"pgm", Format::Pgm},   Word{"ppm", Format::Pgm},
    Word{"pnm", Format::Pgm},   Word{"jpg", Format::Jpeg},
    Word{"jpeg", Format::Jpeg}, Word{"safetensors", Format::Safetensors},
    Word{"u8", Format::U8},     Word{"s8", Format::S8},
    Word{"cu8", Format::Cu8},   Word{"cs8", Format::Cs8},
    Word{"cs16", Format::Cs16}, Word{"cf32", Format::Cf32},
};

const Row& row(Format format) { return kFormats[static_cast<std::size_t>(format)]; }

}  // namespace

std::optional<Format> findFormat(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    for (const Word& each : kWords)
        if (each.word == lower) return each.format;
    return std::nullopt;
}

std::optional<Format> formatOf(std::string_view fileName) {
    fileName = pathOf(fileName);
    std::string_view last = fileName.substr(fileName.rfind('/') + 1);
    std::size_t dot = last.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return Format::Raw;
    return findFormat(last.substr(dot + 1));
}

Format formatOf(types::BuiltinStream stream, std::string_view file) {
    const std::optional<Format> named = formatOf(file);
    switch (stream) {
        case types::BuiltinStream::WavReader:
        case types::BuiltinStream::WavWriter: return Format::Wav;
        case types::BuiltinStream::NpyReader:
        case types::BuiltinStream::NpyWriter: return Format::Npy;
        case types::BuiltinStream::CsvReader:
        case types::BuiltinStream::CsvWriter: return Format::Csv;
        case types::BuiltinStream::PcmReader:
        case types::BuiltinStream::PcmWriter: return Format::Pcm;
        case types::BuiltinStream::ImageReader:
        case types::BuiltinStream::ImageWriter:
            return named == Format::Png || named == Format::Jpeg ? *named : Format::Pgm;
        default: return named == Format::Safetensors ? *named : Format::Raw;
    }
}

std::string_view name(Format format) { return row(format).name; }

base::Status check(Format format, const types::Type* item) {
    if (row(format).holds(item)) return base::ok();
    return base::failure(base::Diag::FormatItemType,
                         {std::string(name(format)), types::toString(item)});
}

Result<std::unique_ptr<ItemReader>> openReader(const std::string& name, Format format,
                                               const types::Type* item,
                                               std::function<void()> beforeWaiting) {
    if (base::Status fits = check(format, item); !fits) return fits.failure();
    auto source = Source::open(name, std::move(beforeWaiting));
    if (!source) return source.failure();
    std::string shown = (*source)->name();
    if ((*source)->size() == 0u) return base::failure(base::Diag::EmptyInput, {shown});
    auto reader = row(format).reader(std::move(*source), item);
    if (reader && (*reader)->total() == 0u && (*reader)->rest().bytes == 0)
        return base::failure(base::Diag::EmptyInput, {shown});
    return reader;
}

base::Status ItemWriter::expect(const types::Type*, const types::Type*) { return base::ok(); }

Result<std::unique_ptr<ItemWriter>> openWriter(const std::string& name, Format format,
                                               const types::Type* item, const StreamInfo& info) {
    if (base::Status fits = check(format, item); !fits) return fits.failure();
    auto sink = Sink::open(name);
    if (!sink) return sink.failure();
    return row(format).writer(std::move(*sink), item, info);
}

}  // namespace strc::io
