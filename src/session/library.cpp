#include "session/library.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "embedded/standardLibrary.h"
#include "session/sources.h"

namespace strc::session {

namespace {

bool isNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Walks over the words of a text, skipping comments and strings and counting braces.
class Scanner {
public:
    explicit Scanner(std::string_view source) : text(source) {}

    ScannedNames scan() {
        while (at < text.size()) {
            char c = text[at];
            if (isNameStart(c))
                word();
            else if (std::isdigit(static_cast<unsigned char>(c)))
                skipNumber();
            else if (c == '"' || c == '\'')
                skipQuoted(c);
            else if (text.substr(at, 2) == "//")
                at = std::min(text.size(), text.find('\n', at));
            else if (text.substr(at, 2) == "/*")
                skipBlockComment();
            else {
                if (c == '(') ++parentheses;
                if (c == ')') --parentheses;
                if (c == '{') ++depth;
                if (c == '}') --depth;
                if (c == '}' && depth == 0 && parentheses == 0) endDeclaration();
                if (!std::isspace(static_cast<unsigned char>(c))) previous = {};
                ++at;
            }
        }
        return std::move(names);
    }

    std::vector<std::size_t> ends;  ///< of the declarations that have been scanned

private:
    void endDeclaration() {
        inStatic = false;
        ends.push_back(at + 1);
    }
    void word() {
        std::size_t end = at;
        while (end < text.size() && isNamePart(text[end])) ++end;
        std::string_view name = text.substr(at, end - at);
        at = end;
        if (depth == 0 && isOneOf(previous, {"filter", "pipeline", "splitjoin", "feedbackloop",
                                             "struct", "helper", "native"}))
            names.declared.insert(name);
        else if (!isKeyword(name) || createsKeyword())
            names.used.insert(name);
        if (depth == 0 && isOneOf(name, {"static", "global"})) inStatic = true;
        if (depth == 1 && inStatic && !isType(name)) names.globals.insert(name);
        previous = name;
    }

    /// Keywords that are names of library streams as well: `add add(...)`.
    static bool isKeyword(std::string_view name) {
        return isOneOf(name, {"add", "split", "join", "body", "loop", "duplicate", "roundrobin",
                              "enqueue", "push", "pop", "peek"});
    }
    static bool isType(std::string_view name) {
        return isOneOf(name, {"int", "float", "double", "bit", "boolean", "complex", "float2",
                              "float3", "float4"});
    }
    bool createsKeyword() const {
        std::size_t next = text.find_first_not_of(" \t\r\n", at);
        return isOneOf(previous, {"add", "body", "loop"}) && next != std::string_view::npos &&
               text[next] == '(';
    }

    void skipNumber() {
        while (at < text.size() && isNamePart(text[at])) ++at;
    }
    void skipQuoted(char quote) {
        ++at;
        while (at < text.size() && text[at] != quote && text[at] != '\n')
            at += text[at] == '\\' ? 2 : 1;
        ++at;
    }
    void skipBlockComment() {
        std::size_t end = text.find("*/", at + 2);
        at = end == std::string_view::npos ? text.size() : end + 2;
    }

    std::string_view text;
    std::size_t at = 0;
    int depth = 0;
    int parentheses = 0;  ///< an array literal may stand in them, as a default
    bool inStatic = false;
    std::string_view previous;
    ScannedNames names;
};

/// The same lines, of blanks.
std::string blanked(std::string_view text) {
    std::string lines(text);
    std::replace_if(lines.begin(), lines.end(), [](char c) { return c != '\n'; }, ' ');
    return lines;
}

}  // namespace

ScannedNames scanNames(std::string_view text) { return Scanner(text).scan(); }

Library::Library(std::vector<LibraryFile> given) : files(std::move(given)) {
    for (std::size_t file = 0; file < files.size(); ++file) {
        const std::string_view text = files[file].text;
        Scanner scanner(text);
        scanner.scan();
        scanner.ends.push_back(text.size());
        std::size_t begin = 0;
        for (std::size_t end : scanner.ends) {
            pieces.push_back({file, begin, end, scanNames(text.substr(begin, end - begin))});
            begin = end;
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
