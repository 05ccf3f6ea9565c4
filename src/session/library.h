#pragma once
/// The library of streams that programs find without any import. Its texts are looked through for the
/// names they declare and use, quickly and without being parsed, so that only the declarations that a
/// program needs cost any time.

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "session/sources.h"

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

    /// What `program` uses and does not declare, and what that uses: the files, in their order, with blanks in place of
    /// all other declarations.
    std::vector<SourceText> needed(std::span<const std::string_view> program) const;

    /// A stream, struct or package at the top level of a file.
    bool declares(std::string_view name) const { return pieceOf.contains(name); }
    const LibraryFile* fileDeclaring(std::string_view name) const {
        auto found = pieceOf.find(name);
        return found == pieceOf.end() ? nullptr : &files[pieces[found->second].file];
    }
    /// All those names, sorted.
    std::vector<std::string_view> declared() const;

private:
    /// A declaration and what stands before it.
    struct Piece {
        std::size_t file;
        std::size_t begin, end;
        ScannedNames names;
    };

    std::vector<std::string> owned;
    std::vector<LibraryFile> files;
    std::vector<Piece> pieces;  ///< in order
    std::unordered_map<std::string_view, std::size_t> pieceOf;
};

}  // namespace strc::session
