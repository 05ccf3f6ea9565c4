#pragma once
/// Declarations from the prompt and from loaded files: texts by name, and which name mentions which. No operation
/// walks all of them, so a line costs what it needs and not what the session holds.

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/source.h"
#include "session/pipeline.h"

namespace strc::repl {

/// A stream, a struct, a package of functions.
struct Declaration {
    std::string name;
    std::string kind;  ///< "filter", "struct", "helper", …
    std::string head;  ///< "int->int filter Scale(int k)"
    std::string text;
    std::string source;  ///< the file, or "<input 3>"
    std::uint32_t line = 1, column = 1;  ///< where the text begins there
    std::set<std::string, std::less<>> mentions;
    std::uint64_t place = 0;  ///< order of declaration

    bool isStream() const { return head.find("->") != std::string::npos; }
    /// With so much space before it that its places are those of the source.
    session::SourceText asSource() const;
};

/// Does a place in a compilation lie in the declaration?
bool standsIn(base::SourceRange, const Declaration&, const base::SourceManager&);

/// A variable of the session.
struct Variable {
    std::string type;  ///< as a declaration writes it
    session::Held value;
    std::set<std::string, std::less<>> mentions;  ///< structs in the type
    std::string source = {};  ///< the file, or "<input 3>"

    /// The type of the value that the variable has now; of a tensor with its shape: "tensor<float>[2, 3]".
    std::string presentType() const;
    /// A tensor without a shape, and so without a value.
    bool isEmpty() const { return type.starts_with("tensor") && !value.element; }
    /// The type, of a tensor with that of its elements.
    std::string typeWithElements() const;
};

class Declarations {
public:
    /// Replaces the one of that name; it keeps its place.
    void put(Declaration);
    void remove(std::string_view name);
    const Declaration* find(std::string_view name) const;
    bool contains(std::string_view name) const { return find(name) != nullptr; }
    /// In order of declaration.
    std::vector<const Declaration*> all() const;
    /// Those that mention the name, directly or through others, in order of declaration.
    std::vector<const Declaration*> dependents(std::string_view name) const;

    /// The declarations of some names and of all that they mention, in order of declaration.
    struct Needed {
        std::vector<const Declaration*> declarations;
        std::vector<std::string> variables;
    };
    Needed needed(std::span<const std::string> names) const;
    /// The same as it is now.
    Declarations copyOf(std::span<const std::string> names) const;

    std::map<std::string, Variable, std::less<>> variables;

private:
    std::map<std::string, Declaration, std::less<>> byName;
    std::map<std::string, std::set<std::string>, std::less<>> mentionedBy;
    std::uint64_t places = 0;
};

/// The session as it was, for a while.
class Formerly {
public:
    Formerly(Declarations& of, const Declarations& old) : declarations(of), now(of) {
        declarations = old;
    }
    ~Formerly() { declarations = std::move(now); }
    Formerly(const Formerly&) = delete;
    Formerly& operator=(const Formerly&) = delete;

private:
    Declarations& declarations;
    Declarations now;
};

/// All names in a text that may mean something that was declared.
std::set<std::string, std::less<>> namesIn(std::string_view text);

}  // namespace strc::repl
