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
                if (c == '{') ++depth;
                if (c == '}') --depth;
                if (c == '}' && depth == 0) inStatic = false;
                if (!std::isspace(static_cast<unsigned char>(c))) previous = {};
                ++at;
            }
        }
        return std::move(names);
    }

private:
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
    bool inStatic = false;
    std::string_view previous;
    ScannedNames names;
};

}  // namespace

ScannedNames scanNames(std::string_view text) { return Scanner(text).scan(); }

Library::Library(std::vector<LibraryFile> given) : files(std::move(given)) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        names.push_back(scanNames(files[i].text));
        for (std::string_view name : names[i].declared) fileOf.emplace(name, i);
        for (std::string_view name : names[i].globals) fileOf.emplace(name, i);
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
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
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
    for (const auto& [name, file] : fileOf) list.push_back(name);
    std::sort(list.begin(), list.end());
    return list;
}

std::vector<const LibraryFile*> Library::needed(std::span<const std::string_view> program) const {
    std::unordered_set<std::string_view> declared;
    std::vector<std::string_view> wanted;
    for (std::string_view text : program) {
        ScannedNames scanned = scanNames(text);
        declared.merge(scanned.declared);
        wanted.insert(wanted.end(), scanned.used.begin(), scanned.used.end());
    }
    std::vector<bool> taken(files.size());
    while (!wanted.empty()) {
        std::string_view name = wanted.back();
        wanted.pop_back();
        auto found = fileOf.find(name);
        if (found == fileOf.end() || taken[found->second] || declared.contains(name)) continue;
        taken[found->second] = true;
        const ScannedNames& more = names[found->second];
        wanted.insert(wanted.end(), more.used.begin(), more.used.end());
    }
    std::vector<const LibraryFile*> result;
    for (std::size_t i = 0; i < files.size(); ++i)
        if (taken[i]) result.push_back(&files[i]);
    return result;
}

}  // namespace strc::session
