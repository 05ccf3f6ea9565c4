#pragma once
/// Compiles a part of the session: some text, with what it mentions of what was declared.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "repl/declarations.h"
#include "repl/mixed_text.h"
#include "session/pipeline.h"

namespace strc::repl {

/// A message for people and for tools.
struct Message {
    base::Severity severity = base::Severity::Error;
    std::string code;
    std::string text;  ///< with its place and picture, as base::renderText
    std::string json;  ///< as base::renderJson
};

struct Work {
    session::Compilation program;
    session::Stage done = session::Stage::Nothing;
    base::BufferId own;  ///< of the text that was given
    base::BufferId typed;  ///< of what was typed

    bool hasErrors() const { return program.context.diags.hasErrors(); }
};

struct Task {
    const MixedText* text = nullptr;
    std::string typed;  ///< the whole input
    std::string input;  ///< its name: "<input 3>"
    std::string top;  ///< of an untyped composite in the text; empty: no main stream
    session::Stage last = session::Stage::Checked;
    std::vector<const Declaration*> more;  ///< beside what the text mentions
    std::set<std::string, std::less<>> without;  ///< variables that the text declares anew
    types::Random random = {};  ///< what it draws from
    /// Variables may get other values: of a tensor what is open stays open.
    bool assigns = false;
    std::vector<std::string> inputs = {};  ///< types of the tensors that arrive: Request::inputs
    std::string target;  ///< what a value is for, as messages call it: "a count"
};

class Workbench {
public:
    explicit Workbench(const Declarations& known)
        : declarations(known), library(session::Library::builtIn()) {}

    std::unique_ptr<Work> compile(const Task&) const;
    /// The diagnostics since the last call, with ranges in the typed text. `skip` names those that are no faults here.
    std::vector<Message> messages(
        Work&, const Task&, const std::function<bool(const base::Diagnostic&)>& skip = {}) const;

    bool isLibraryStream(std::string_view name) const { return library.declares(name); }
    const session::Library& streams() const { return library; }

    std::function<void(std::string_view)> print;
    const volatile bool* interrupt = nullptr;
    bool colour = false;
    std::string weights;  ///< Callbacks::weights

private:
    const Declarations& declarations;
    session::Library library;
};

/// A local has the name of a variable of the session: no fault, since it was not written in its sight.
bool hidesVariable(const base::Diagnostic&, const base::SourceManager&);

Message toMessage(const base::Diagnostic&, const base::SourceManager&, bool colour);

}  // namespace strc::repl
