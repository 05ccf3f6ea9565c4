#include "session/library.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "embedded/standardLibrary.h"
#include "parser/lexemes.h"
#include "session/sources.h"

namespace strc::session {

namespace {

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Walks over the lexemes of a text and counts braces.
class Scanner {
public:
    explicit Scanner(std::string_view text) : lexemes(parser::lexemes(text)), size(text.size()) {
        std::erase_if(lexemes, [](const Lexeme& each) { return each.kind == LexemeKind::Comment; });
    }

    /// A declaration and what stands before it.
    struct Piece {
        std::size_t end;
        ScannedNames names;
    };
    /// The last one is what stands behind the last declaration.
    std::vector<Piece> scan() {
        for (at = 0; at < lexemes.size(); ++at) {
            const Lexeme& each = lexemes[at];
            if (each.kind == LexemeKind::Sign)
                sign(each);
            else if (each.kind != LexemeKind::Number && each.kind != LexemeKind::String)
                word(each);
        }
        pieces.push_back({size, std::move(names)});
        return std::move(pieces);
    }

private:
    using Lexeme = parser::Lexeme;
    using LexemeKind = parser::LexemeKind;

    void sign(const Lexeme& each) {
        if (each.is("(")) ++parentheses;
        if (each.is(")")) --parentheses;
        if (each.is("{")) ++depth;
        if (each.is("}")) --depth;
        if (each.is("}") && depth == 0 && parentheses == 0) {
            inStatic = false;
            pieces.push_back({each.end, std::exchange(names, {})});
        }
        previous = {};
    }
    void word(const Lexeme& each) {
        const std::string_view name = each.text;
        if (depth == 0 && isOneOf(previous, {"filter", "pipeline", "splitjoin", "feedbackloop",
                                             "struct", "helper", "native"}))
            names.declared.insert(name);
        else if (each.kind == LexemeKind::Name || createsKeyword())
            names.used.insert(name);
        if (depth == 0 && isOneOf(name, {"static", "global"})) inStatic = true;
        if (depth == 1 && inStatic && each.kind != LexemeKind::Type) names.globals.insert(name);
        previous = name;
    }

    /// Streams may be called as keywords are: `add add(...)`.
    bool createsKeyword() const {
        const bool isLast = at + 1 == lexemes.size();
        return isOneOf(previous, {"add", "body", "loop"}) && !isLast &&
               (lexemes[at + 1].is("(") || lexemes[at + 1].is(";"));
    }

    std::vector<Lexeme> lexemes;
    std::size_t size;  ///< of the text
    std::size_t at = 0;
    int depth = 0;
    int parentheses = 0;  ///< an array literal may stand in them, as a default
    bool inStatic = false;
    std::string_view previous;
    ScannedNames names;  ///< since the last declaration
    std::vector<Piece> pieces;
};

/// The same lines, of blanks.
std::string blanked(std::string_view text) {
    std::string lines(text);
    std::replace_if(lines.begin(), lines.end(), [](char c) { return c != '\n'; }, ' ');
    return lines;
}

}  // namespace

ScannedNames scanNames(std::string_view text) {
    ScannedNames all;
    for (Scanner::Piece& piece : Scanner(text).scan()) {
        all.declared.merge(piece.names.declared);
        all.globals.merge(piece.names.globals);
        all.used.merge(piece.names.used);
    }
    return all;
}

Library::Library(std::vector<LibraryFile> given) : files(std::move(given)) {
    for (std::size_t file = 0; file < files.size(); ++file) {
        std::size_t begin = 0;
        for (Scanner::Piece& piece : Scanner(files[file].text).scan()) {
            pieces.push_back({file, begin, piece.end, std::move(piece.names)});
            begin = piece.end;
        }
    }
    for (std::size_t k = 0; k < pieces.size(); ++k) {
        for (std::string_view name : pieces[k].names.declared) pieceOf.emplace(name, k);
        for (std::string_view name : pieces[k].names.globals) pieceOf.emplace(name, k);
    }
}

Library Library::builtIn() {
    std::vector<LibraryFile> files;
    for (const base::EmbeddedFile& file : embedded::standardLibrary())
        files.push_back({"<stdlib>/" + std::string(file.name), file.text});
    return Library(std::move(files));
}

base::Result<Library> Library::ofFolder(const std::string& folder) {
    std::error_code error;
    std::vector<std::string> paths;
    for (std::filesystem::recursive_directory_iterator entry(folder, error), end;
         !error && entry != end; entry.increment(error))
        if (entry->path().extension() == ".str") paths.push_back(entry->path().string());
    if (error) return base::failure(base::Diag::CannotOpenFile, {folder, error.message()});
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> texts;
    texts.reserve(paths.size());
    for (const std::string& path : paths) {
        base::Result<std::string> text = readFile(path);
        if (!text) return text.failure();
        texts.push_back(std::move(*text));
    }
    std::vector<LibraryFile> files;
    for (std::size_t i = 0; i < paths.size(); ++i) files.push_back({paths[i], texts[i]});
    Library library(std::move(files));
    library.owned = std::move(texts);
    return library;
}

std::vector<std::string_view> Library::declared() const {
    std::vector<std::string_view> list;
    for (const auto& [name, piece] : pieceOf) list.push_back(name);
    std::sort(list.begin(), list.end());
    return list;
}

std::vector<SourceText> Library::needed(std::span<const std::string_view> program) const {
    std::unordered_set<std::string_view> declared;
    std::unordered_set<std::string_view> used;
    for (std::string_view text : program) {
        ScannedNames scanned = scanNames(text);
        declared.merge(scanned.declared);
        used.merge(scanned.used);
    }
    // The program's own declarations hide those of the library from the program, not from the library.
    std::vector<std::string_view> wanted;
    for (std::string_view name : used)
        if (!declared.contains(name)) wanted.push_back(name);
    std::vector<bool> taken(pieces.size());
    while (!wanted.empty()) {
        auto found = pieceOf.find(wanted.back());
        wanted.pop_back();
        if (found == pieceOf.end() || taken[found->second]) continue;
        taken[found->second] = true;
        const ScannedNames& more = pieces[found->second].names;
        wanted.insert(wanted.end(), more.used.begin(), more.used.end());
    }
    std::vector<SourceText> result;
    std::size_t last = files.size();
    for (std::size_t k = 0; k < pieces.size(); ++k) {
        if (!taken[k]) continue;
        const Piece& piece = pieces[k];
        const LibraryFile& file = files[piece.file];
        if (piece.file != last) result.push_back({file.name, blanked(file.text)});
        last = piece.file;
        result.back().text.replace(piece.begin, piece.end - piece.begin,
                                   file.text.substr(piece.begin, piece.end - piece.begin));
    }
    return result;
}

}  // namespace strc::session
