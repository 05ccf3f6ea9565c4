#include "repl/detail/file_source.h"

#include <utility>

namespace strc::repl {

FileSource::FileSource(std::string name, std::unique_ptr<io::ItemReader> opened,
                       const types::Type* item)
    : file(std::move(name)),
      reader(std::move(opened)),
      itemSize(static_cast<std::size_t>(types::sizeOf(item))) {}

base::Result<std::string> FileSource::next() {
    constexpr std::size_t kChunk = 4096;
    std::string bytes(kChunk * itemSize, '\0');
    auto got = reader->read(reinterpret_cast<std::byte*>(bytes.data()), kChunk);
    if (!got) return got.failure();
    bytes.resize(*got * itemSize);
    return bytes;
}

}  // namespace strc::repl
