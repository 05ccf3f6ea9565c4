#include <array>

#include "io/detail/library_files.h"
#include "strc/files/sounds.h"

namespace strc::io {

using base::Result;

namespace {

constexpr std::array<const strc_format*, STRC_FORMATS> kFormats{
#define STRC_FORMAT(Id, name) &strc_format_##Id,
#include "strc/formats.def"
#undef STRC_FORMAT
};

std::optional<Format> known(strc_format_id id) {
    return id == STRC_FORMATS ? std::nullopt : std::optional(static_cast<Format>(id));
}

}  // namespace

const strc_format& functionsOf(Format format) {
    return *kFormats[static_cast<std::size_t>(format)];
}

const strc_format& tensorFunctionsOf(Format format, bool isOutput) {
    return *kFormats[strc_format_of_tensors(static_cast<strc_format_id>(format), isOutput ? 1 : 0)];
}

std::vector<const strc_format*> tensorFunctionsOf(const std::vector<TensorFile>& files,
                                                  bool isOutput) {
    std::vector<const strc_format*> formats;
    for (const TensorFile& file : files)
        formats.push_back(&tensorFunctionsOf(file.format, isOutput));
    return formats;
}

std::optional<Format> findFormat(std::string_view name) {
    return known(strc_format_named(std::string(name).c_str()));
}

std::optional<Format> formatOf(std::string_view fileName) {
    return known(strc_format_of(std::string(fileName).c_str()));
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

std::string_view name(Format format) { return functionsOf(format).name; }

bool isSound(Format format) { return functionsOf(format).has_sound_header != 0; }

Format soundFormatOf(std::string_view fileName) {
    const std::optional<Format> named = formatOf(fileName);
    return named && isSound(*named) ? *named : Format::Wav;
}

std::uint64_t samplesOf(const types::Type* type) {
    const LibraryItem item(type);
    const strc_item about = item.get();
    return strc_samples_of(strc_numbers_of(&about));
}

base::Status check(Format format, const types::Type* type) {
    const LibraryItem item(type);
    const strc_item asked = item.get();
    if (functionsOf(format).holds(&asked) != 0) return base::ok();
    return base::failure(base::Diag::FormatItemType,
                         {std::string(name(format)), types::toString(type)});
}

Result<std::unique_ptr<ItemReader>> openReader(const std::string& name, Format format,
                                               const types::Type* item,
                                               std::function<void()> beforeWaiting) {
    auto reader = std::make_unique<LibraryReader>(name, item, std::move(beforeWaiting));
    if (base::Status opened = reader->open({&functionsOf(format)}); !opened)
        return opened.failure();
    return reader;
}

base::Status ItemWriter::expect(const types::Type*, const types::Type*) { return base::ok(); }

base::Status ItemWriter::goBack(std::uint64_t) { STRC_UNREACHABLE("this file takes nothing back"); }

Result<std::unique_ptr<ItemWriter>> openWriter(const std::string& name, Format format,
                                               const types::Type* item, const StreamInfo& info) {
    auto writer = std::make_unique<LibraryWriter>(name, item);
    if (base::Status opened = writer->open(functionsOf(format), info); !opened)
        return opened.failure();
    return writer;
}

}  // namespace strc::io
