#pragma once
/// Files of declarations: loads them, and loads them again. Private to repl.

#include <string>
#include <string_view>
#include <vector>

#include "repl/declarations.h"
#include "repl/detail/declarer.h"
#include "repl/detail/output.h"
#include "repl/detail/redefinitions.h"

namespace strc::repl {

class Loader {
public:
    Loader(Output& to, Declarations& known, Declarer& declares, Redefinitions& changes)
        : output(to), declarations(known), declarer(declares), redefinitions(changes) {}

    /// `input` names the file.
    void load(const std::string& file, const Input&);
    /// Loads all files at once: each is checked against the others as they are now. Nothing changes if one is refused.
    void reload(const Input&);

private:
    void loadInAnyOrder(const Input&);
    void checkReplaced(const Input&, const Declarations& before);
    void tellLoaded(const std::string& file) const;
    void tellGone(const Declarations& before) const;
    bool isLoaded(std::string_view source) const;

    Output& output;
    Declarations& declarations;
    Declarer& declarer;
    Redefinitions& redefinitions;
    std::vector<std::string> files;
};

/// "2 declarations, 1 variable"
std::string countText(std::uint64_t declarations, std::uint64_t variables);

}  // namespace strc::repl
