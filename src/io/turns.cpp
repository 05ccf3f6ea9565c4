#include "io/turns.h"

#include "io/detail/library_files.h"

namespace strc::io {

std::vector<const strc_format*> functionsOf(const std::vector<TurnFile>& files) {
    std::vector<const strc_format*> formats;
    for (const TurnFile& file : files) formats.push_back(&functionsOf(file.format));
    return formats;
}

base::Result<std::unique_ptr<ItemReader>> openTurnsReader(const std::vector<TurnFile>& files,
                                                          const types::Type* item,
                                                          std::function<void()> beforeWaiting) {
    auto reader = std::make_unique<LibraryReader>(files, item, std::move(beforeWaiting));
    if (base::Status opened = reader->open(functionsOf(files)); !opened) return opened.failure();
    return reader;
}

base::Result<std::unique_ptr<ItemWriter>> openTurnsWriter(const std::vector<TurnFile>& files,
                                                          const types::Type* item,
                                                          const StreamInfo& info) {
    auto writer = std::make_unique<CycleWriter>(files, item);
    if (base::Status opened = writer->open(info); !opened) return opened.failure();
    return writer;
}

}  // namespace strc::io
