#pragma once
/// The library of streams that programs find without any import. Its texts are looked through for the
/// names they declare and use, quickly and without being parsed, so that only the files that a
/// program needs cost any time.

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"

namespace strc::session {

struct LibraryFile {
    std::string name;
    std::string_view text;
};

/// Top-level names that a text declares, and all names in it that may refer to others.
struct ScannedNames {
    std::unordered_set<std::string_view> declared;
    std::unordered_set<std::string_view> globals;  ///< in static blocks (and some that are none)
    std::unordered_set<std::string_view> used;
};
ScannedNames scanNames(std::string_view text);

class Library {
public:
    Library() = default;
    explicit Library(std::vector<LibraryFile> files);
    /// The one inside the binary.
    static Library builtIn();
    /// All *.str of a folder.
    static base::Result<Library> ofFolder(const std::string& folder);

    /// What `program` uses and does not declare, and what that uses, in the order of the files.
    std::vector<const LibraryFile*> needed(std::span<const std::string_view> program) const;

    /// A stream, struct or package at the top level of a file.
    bool declares(std::string_view name) const { return fileOf.contains(name); }
    const LibraryFile* fileDeclaring(std::string_view name) const {
        auto found = fileOf.find(name);
        return found == fileOf.end() ? nullptr : &files[found->second];
    }
    /// All those names, sorted.
    std::vector<std::string_view> declared() const;

private:
    std::vector<std::string> owned;
    std::vector<LibraryFile> files;
    std::vector<ScannedNames> names;
    std::unordered_map<std::string_view, std::size_t> fileOf;
};

}  // namespace strc::session
