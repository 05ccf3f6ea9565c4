#pragma once
/// Files that are looked at while the graph is built: as arrays, and for what they tell of sounds. Failures are rows of
/// the table of diagnostics.

#include <string>

#include "base/context.h"
#include "base/result.h"
#include "ir/file_question.h"

namespace strc::elab {

/// Where a file that the code at `range` names is: from the working directory, else from beside that source (language.md
/// 1.6). What has no name of its own, like standard input, lies in the working directory. If there is no such file, `name`.
std::string pathOf(const base::SourceManager&, const std::string& name, base::SourceRange range);

class FilesRead {
public:
    FilesRead(base::Context& context, types::TypeTable& types) : context(context), types(types) {}

    /// The items of a channel: as many as `items` gives.
    base::Result<std::int32_t> count(const ir::FileQuestion&, const std::string& name,
                                     std::int32_t channel, base::SourceRange);
    /// Rate or channels of a sound.
    base::Result<std::int32_t> tell(const ir::FileQuestion&, const std::string& name,
                                    base::SourceRange);
    /// As they lie in memory.
    base::Result<std::string> items(const ir::FileQuestion&, const std::string& name,
                                    std::int32_t channel, base::SourceRange);

private:
    struct Kept {
        std::uint32_t question = 0;
        std::string path;
        std::int32_t channel = 0;
        std::string items;
        bool operator==(const Kept&) const = default;
    };

    base::Result<std::string> read(const ir::FileQuestion&, const std::string& path,
                                   std::int32_t channel) const;

    base::Context& context;
    types::TypeTable& types;
    Kept last;  ///< lengths are asked for before items
};

}  // namespace strc::elab
