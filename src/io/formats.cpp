#include <algorithm>
#include <array>
#include <cctype>

#include "io/detail/library_files.h"
#include "io/detail/numbers.h"
#include "io/items.h"
#include "io/tensors.h"

namespace strc::io {

using base::Result;

namespace {

bool holdsSamples(const types::Type* item) {
    auto numbers = numbersOf(item);
    return numbers && numbers->kind >= types::TypeKind::Int &&
           numbers->kind <= types::TypeKind::Complex;
}

bool holdsPixels(const types::Type* item) {
    return holdsSamples(item) && numbersOf(item)->kind != types::TypeKind::Complex;
}

/// Tensors alone (io/tensors.h).
bool holdsNoItems(const types::Type*) { return false; }

struct Row {
    Format format;
    std::string_view name;
    const strc_format* inC;  ///< null: the functions behind it
    bool (*holds)(const types::Type*) = nullptr;
    OpenReader* reader = nullptr;
    OpenWriter* writer = nullptr;
};

constexpr std::array kFormats{
    Row{Format::Raw, "raw", &strc_format_raw},
    Row{Format::Wav, "WAV", &strc_format_wav},
    Row{Format::Npy, "npy", &strc_format_npy},
    Row{Format::Csv, "text", &strc_format_text},
    Row{Format::Png, "PNG", nullptr, holdsPixels, openPngReader, openPngWriter},
    Row{Format::Pgm, "PGM", nullptr, holdsPixels, openPgmReader, openPgmWriter},
    Row{Format::Pcm, "PCM", &strc_format_pcm},
    Row{Format::Jpeg, "JPEG", nullptr, holdsPixels, openJpegReader, openJpegWriter},
    Row{Format::Safetensors, "safetensors", nullptr, holdsNoItems},
    Row{Format::U8, "u8", &strc_format_u8},
    Row{Format::S8, "s8", &strc_format_s8},
    Row{Format::Cu8, "cu8", &strc_format_cu8},
    Row{Format::Cs8, "cs8", &strc_format_cs8},
    Row{Format::Cs16, "cs16", &strc_format_cs16},
    Row{Format::Cf32, "cf32", &strc_format_cf32},
    Row{Format::Flac, "FLAC", &strc_format_flac},
    Row{Format::Ogg, "Ogg", &strc_format_ogg},
    Row{Format::Opus, "Opus", &strc_format_opus},
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
    Word{"flac", Format::Flac}, Word{"ogg", Format::Ogg},
    Word{"oga", Format::Ogg},   Word{"opus", Format::Opus},
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
        case types::BuiltinStream::WavWriter: return soundFormatOf(file);
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

bool isSound(Format format) {
    const strc_format* inC = row(format).inC;
    return inC && inC->has_sound_header != 0;
}

Format soundFormatOf(std::string_view fileName) {
    const std::optional<Format> named = formatOf(fileName);
    return named && isSound(*named) ? *named : Format::Wav;
}

base::Status check(Format format, const types::Type* item) {
    const Row& asked = row(format);
    if (asked.inC ? holdsItem(*asked.inC, item) : asked.holds(item)) return base::ok();
    return base::failure(base::Diag::FormatItemType,
                         {std::string(name(format)), types::toString(item)});
}

Result<std::unique_ptr<ItemReader>> openReader(const std::string& name, Format format,
                                               const types::Type* item,
                                               std::function<void()> beforeWaiting) {
    if (base::Status fits = check(format, item); !fits) return fits.failure();
    if (const strc_format* inC = row(format).inC)
        return openLibraryReader(*inC, name, item, std::move(beforeWaiting));
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
    if (const strc_format* inC = row(format).inC) return openLibraryWriter(*inC, name, item, info);
    auto sink = Sink::open(name);
    if (!sink) return sink.failure();
    return row(format).writer(std::move(*sink), item, info);
}

}  // namespace strc::io
