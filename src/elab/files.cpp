#include "elab/detail/files.h"

#include <filesystem>
#include <memory>

#include "io/tensors.h"

namespace strc::elab {

using base::Diag;
using base::Result;
using ir::FileQuestion;

namespace {

constexpr std::size_t kItemsAtOnce = 4096;

/// Every `channels`-th item from `channel` on.
std::string channelOf(const std::string& all, std::size_t size, std::size_t channels,
                      std::size_t channel) {
    std::string items;
    items.reserve(all.size() / channels);
    for (std::size_t at = channel * size; at + size <= all.size(); at += channels * size)
        items.append(all, at, size);
    return items;
}

std::string counted(int count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string pathOf(const base::SourceManager& sources, const std::string& name,
                   base::SourceRange range) {
    std::error_code error;
    if (!range.valid() || std::filesystem::exists(name, error)) return name;
    const std::filesystem::path source = sources.name(range.buffer);
    const std::filesystem::path beside = source.parent_path() / name;
    const bool isThere = source.has_parent_path() && std::filesystem::exists(beside, error);
    return isThere ? beside.string() : name;
}

Result<std::string> FilesRead::read(const FileQuestion& question, const std::string& path,
                                    std::int32_t channel) const {
    const types::Type* element = types.scalar(question.element);
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        return base::failure(Diag::CannotReadFile, {path, "it is a directory"});
    auto reader = io::openReader(path, io::formatOf(question.reader, path), element);
    if (!reader) return reader.failure();
    const int channels = (*reader)->info().channels;
    const int own = static_cast<int>(io::samplesOf(element));
    const bool takesOne = channels > 0 && channel != ir::kAllChannels;
    if (takesOne && channel == ir::kOnlyChannel && channels != own)
        return base::failure(
            Diag::FileChannels,
            {path, std::to_string(channels),
             own == 1
                 ? "which one has to be said: 0 is the first, -1 stands for all of them in turn"
                 : "it has no items of " + counted(own, "sample")});
    const bool isThere =
        channel == ir::kOnlyChannel || (channel >= 0 && channel < channels && own == 1);
    if (takesOne && !isThere)
        return base::failure(Diag::FileChannels,
                             {path, std::to_string(channels),
                              "there is no channel " + std::to_string(channel) +
                                  (own == 1 ? "" : " of items of " + counted(own, "sample"))});
    const auto size = static_cast<std::size_t>(types::sizeOf(element));
    const std::uint64_t most = context.limits.arrayBytes / size;
    std::string all;
    std::string piece(kItemsAtOnce * size, '\0');
    for (;;) {
        auto count = (*reader)->read(reinterpret_cast<std::byte*>(piece.data()), kItemsAtOnce);
        if (!count) return count.failure();
        if (*count == 0) break;
        all.append(piece, 0, *count * size);
        if (all.size() / size > most)
            return base::failure(
                Diag::ArrayTooLarge,
                {std::to_string(all.size() / size) + " or more", std::to_string(most)});
    }
    if (all.empty()) return base::failure(Diag::EmptyInput, {path});
    if (!takesOne || channel == ir::kOnlyChannel) return all;
    return channelOf(all, size, static_cast<std::size_t>(channels),
                     static_cast<std::size_t>(channel));
}

Result<std::int32_t> FilesRead::count(const FileQuestion& question, const std::string& name,
                                      std::int32_t channel, base::SourceRange range) {
    const std::string path = pathOf(context.sources, name, range);
    Kept now{question.index(), path, channel, {}};
    Result<std::string> items = read(question, path, channel);
    if (!items) return items.failure();
    now.items = std::move(*items);
    last = std::move(now);
    return static_cast<std::int32_t>(last.items.size() / static_cast<std::size_t>(types::sizeOf(
                                                             types.scalar(question.element))));
}

Result<std::string> FilesRead::items(const FileQuestion& question, const std::string& name,
                                     std::int32_t channel, base::SourceRange range) {
    const std::string path = pathOf(context.sources, name, range);
    const bool isLast =
        last.question == question.index() && last.path == path && last.channel == channel;
    return isLast ? Result<std::string>(last.items) : read(question, path, channel);
}

Result<std::int32_t> FilesRead::tell(const FileQuestion& question, const std::string& name,
                                     base::SourceRange range) {
    const std::string path = pathOf(context.sources, name, range);
    auto reader = io::openReader(path, io::soundFormatOf(path), types.floatType());
    if (!reader) return reader.failure();
    const io::StreamInfo info = (*reader)->info();
    return question.what == FileQuestion::Rate ? info.sampleRate : info.channels;
}

}  // namespace strc::elab
