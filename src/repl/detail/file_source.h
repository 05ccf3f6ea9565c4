#pragma once
/// A file that feeds a stream. Private to repl.

#include <memory>
#include <string>

#include "io/items.h"

namespace strc::repl {

class FileSource {
public:
    FileSource(std::string name, std::unique_ptr<io::ItemReader> file, const types::Type* item);
    const std::string& name() const { return file; }
    /// The next few items as bytes; empty at the end.
    base::Result<std::string> next();
    io::StreamInfo info() const { return reader->info(); }

private:
    std::string file;
    std::unique_ptr<io::ItemReader> reader;
    std::size_t itemSize;
};

}  // namespace strc::repl
