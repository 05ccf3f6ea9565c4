#pragma once
/// The data of a session, and the functions that execute lines on it. Private to repl.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "repl/running.h"
#include "repl/session.h"
#include "repl/stream_line.h"
#include "repl/values.h"

namespace strc::repl {

inline bool isInterrupted(const Callbacks& callbacks) {
    return callbacks.interrupt && *callbacks.interrupt;
}

/// An entry that fails ends the evaluation; its messages have been added to the answer.
struct Failed {};

/// Says for a while that something is so.
class Meanwhile {
public:
    explicit Meanwhile(bool& of) : flag(of), before(of) { flag = true; }
    ~Meanwhile() { flag = before; }
    Meanwhile(const Meanwhile&) = delete;
    Meanwhile& operator=(const Meanwhile&) = delete;

private:
    bool& flag;
    bool before;
};

/// Declarations that were replaced; they come back if the new ones are refused.
struct Replaced {
    std::map<std::string, std::optional<Declaration>, std::less<>> declarations;
    std::map<std::string, Variable, std::less<>> variables;

    /// Something else had the name of this one.
    bool has(const Declaration& fresh) const {
        auto found = declarations.find(fresh.name);
        return found != declarations.end() && found->second && found->second->text != fresh.text;
    }
};

class Sink;

class State {
public:
    explicit State(Callbacks);

    void entry(const Input&);

    // ---- declare.cpp, evaluate.cpp
    void declare(const Input&);
    void declareText(const Input&, const std::string& source, bool isQuiet);
    void variables(const Input&);
    void statement(const Input&);
    void expression(const Input&);
    /// The value of a typed expression, converted to `type` (empty: its own); an array if its own is one.
    /// Empty for one that has no value.
    std::optional<types::Value> valueOf(const Input&, std::string_view type = {});

    std::string typeOf(const Input&);
    bool isExpression(const Input&);
    std::unique_ptr<Work> checkedValue(const Input&, std::vector<Message>& told);
    std::unique_ptr<Work> runStatics(const Input&, const MixedText&,
                                     const std::set<std::string, std::less<>>& fresh,
                                     const std::string& target = {}, bool assigns = false);
    void checkDeclared(const Input&, const std::vector<const Declaration*>& fresh,
                       std::vector<const Declaration*> affected, bool isQuiet,
                       const Replaced& before);
    void tellDeclared(const std::vector<const Declaration*>& fresh, const Replaced& before) const;
    void tellUsersOf(const Input&, const std::string& variable, const std::string& oldType);
    void tellBroken(std::vector<Message>);
    std::set<std::string, std::less<>> goneWith(const std::vector<const Declaration*>& fresh,
                                                const Replaced& before) const;

    // ---- streams.cpp
    void stream(const Input&);
    bool isStream(const Input&);
    /// Does it begin with the call of a function that streams are called like, and is an expression?
    bool isTensorCall(const Input&, const std::vector<Token>&, std::size_t at);
    bool isStreamName(std::string_view) const;
    /// Refuses a name for a `kind` ("variable", "stream", "declaration") that means something else.
    void checkName(const Input&, std::string_view name, std::string_view kind);
    enum class Use : std::uint8_t {
        Run,
        Look  ///< opens no file and prints nothing
    };
    /// A name for the pipeline that is made of a typed expression: "it", unless that is declared already.
    std::string streamName() const;
    std::shared_ptr<Running> make(const Input&, const std::string& source, MixedText, Use);
    /// Opens its files: it can run.
    void begin(const std::shared_ptr<Running>&);
    std::shared_ptr<Running> meant(const Input&, const Line&, Use);
    void run(const std::shared_ptr<Running>&, const Line&, std::optional<std::uint64_t> take,
             const Input&);
    /// It is the present stream now, with a name if that is not empty.
    void hold(const std::shared_ptr<Running>&, const std::string& name);
    /// Completes the files of a stream that no name refers to any more.
    void letGo(const std::shared_ptr<Running>&);
    /// Streams that write a file that this one writes anew are gone.
    void dropWritersOf(const Running&);
    struct Source {
        std::optional<FileSource> file;
        std::string items;  ///< bytes
    };
    std::optional<Source> takeSource(const std::shared_ptr<Running>&, const Line&, const Input&);
    Source sourceOf(const Running&, const Line&, const Input&);
    /// Tensors behind `<-`: a file, or values in turn.
    struct Arriving {
        std::string file;
        std::vector<session::Held> values;
    };
    bool takesTensors(const Running&) const;
    Arriving arriving(const Line&, const Input&);
    void shape(const std::shared_ptr<Running>&, const Arriving&, const Input& from);
    Source tensorSource(const Running&, const Arriving&, const Input& from);
    session::Held tensorOf(const Input&);
    void feed(Running&, Source);
    void checkType(const Running&, const types::Type*, const Input&);
    void checkSink(const Running&, const Line&, const Input&);
    void tellWhy(const Running&, Stop, std::optional<std::uint64_t> wanted, std::uint64_t count);
    std::string itemsOf(const Input&, const MixedText&);
    std::string listed(const Input&, const Line&, Span inside, const types::Type* item);
    std::string range(const Input& from, const Input& to, const types::Type* item);
    /// `[1, 2.5]` or `[1 .. 9]`.
    std::vector<double> listedNumbers(const Input&);
    std::string elementsOf(const Input& tensor, const types::Type* item);
    std::string itemsOfValue(const Input&, const types::Type* item);
    io::Format formatOf(const Input&, const std::string& file);
    void openSink(Sink&, const Input&, const Line&, const Running&, io::StreamInfo);
    void closeSink(Sink&, const Input&, const types::Type* item);

    // ---- commands.cpp, files.cpp, inspect.cpp, stepping.cpp, plot_command.cpp
    void command(const Input&);
    void backCommand(const Input& input, const Input& arguments);
    void breakCommand(const Input& input, const Input& arguments);
    void compileCommand(const Input& input, const Input& arguments);
    void continueCommand(const Input& input, const Input& arguments);
    void dropCommand(const Input& input, const Input& arguments);
    void engineCommand(const Input& input, const Input& arguments);
    void graphCommand(const Input& input, const Input& arguments);
    void helpCommand(const Input& input, const Input& arguments);
    void listCommand(const Input& input, const Input& arguments);
    void loadCommand(const Input& input, const Input& arguments);
    void peekCommand(const Input& input, const Input& arguments);
    void plotCommand(const Input& input, const Input& arguments);
    void quitCommand(const Input& input, const Input& arguments);
    void ratesCommand(const Input& input, const Input& arguments);
    void reloadCommand(const Input& input, const Input& arguments);
    void saveCommand(const Input& input, const Input& arguments);
    void scheduleCommand(const Input& input, const Input& arguments);
    void stepCommand(const Input& input, const Input& arguments);
    void timeCommand(const Input& input, const Input& arguments);
    void typeCommand(const Input& input, const Input& arguments);
    void watchCommand(const Input& input, const Input& arguments);
    void whereCommand(const Input& input, const Input& arguments);
    void load(const std::string& file, const Input&);
    void loadInAnyOrder(const Input&);
    void tellLoaded(const std::string& file) const;
    void checkReplaced(const Input&, const Declarations& before);
    bool isLoaded(std::string_view source) const;
    std::string sourceOfVariables(const Input&, const std::vector<std::string>& names);
    std::string programOf(const Running&, const Input&);

    /// The stream that commands are about.
    Running& present(const Input&);
    Running& interpreted(const Input&);
    void checkShaped(const Running&, const Input&);
    std::shared_ptr<Running> about(const Input& input, const Input& arguments);
    /// A stream as it is typed, for a look at it: one that is made for that is not started.
    std::shared_ptr<Running> described(const Input&);
    /// "int->int filter Scale(int k)", or empty.
    std::string headOf(std::string_view name) const;
    std::string fileAfter(Input& arguments);
    void writeFile(const Input&, const std::string& file, std::string_view text);
    void showChannel(const Running&, graph::EdgeId, std::uint64_t most, bool isCounted = false);
    void showChange(const Running&, graph::EdgeId);
    std::vector<graph::EdgeId> channels(const Running&, const Input& name);
    std::uint64_t countOf(const Input& arguments, std::uint64_t otherwise);
    void goOn(Running&, const Goal&, bool isStepwise, const Input&);
    std::vector<double> numbersOf(const Input& arguments);

    // ---- complete.cpp
    void addMembers(std::string_view owner, std::string_view begun,
                    std::vector<Candidate>& to) const;
    bool addArguments(std::string_view command, std::string_view begun,
                      std::vector<Candidate>& to) const;
    void addNames(std::string_view begun, std::vector<Candidate>&) const;
    std::string meaningOf(std::string_view word) const;

    // ---- hints.cpp: refuse what is known to be something else
    bool isKnown(std::string_view name) const;
    void refuseForgottenColon(const Input&, const std::vector<Token>&);
    void refuseLooseFunction(const Input&, const std::vector<Token>&);
    void refuseRunAsValue(const Input&, const std::vector<Token>&);
    void refuseMisspelledStream(const Input&, const std::vector<Token>&);
    void refuseNewName(const Input&, const std::vector<Token>&);

    // ---- messages
    /// That what was asked for is done.
    void confirm(std::string_view text) const {
        if (!callbacks.isTerse) show(text);
    }
    /// Something that is no result and yet has to be said.
    void remark(std::string_view text);
    void show(std::string_view text) const {
        if (!isQuiet) callbacks.show(text);
    }
    /// Reports a fault of the input at hand, with its place, and ends the entry.
    [[noreturn]] void fail(const Input&, std::string_view what);
    [[noreturn]] void failAt(const Input&, std::size_t begin, std::size_t end,
                             std::string_view what);
    /// No more than a person reads.
    void add(std::vector<Message>);
    void tellUnsaid();
    /// The same; ends the entry if there is an error among them.
    void check(std::vector<Message>);
    void give(const types::Value&);
    /// Shows the results.
    void giveAll();

    Callbacks callbacks;
    Declarations declarations;
    Workbench workbench{declarations};
    std::map<std::string, std::shared_ptr<Running>, std::less<>> instances;
    std::shared_ptr<Running> current;
    std::unique_ptr<Work> valued;  ///< of the last value: its types live there
    Items results;  ///< of the last run: for plots
    std::shared_ptr<Running> resultsOf;  ///< their types live there
    std::vector<std::string> files;  ///< loaded
    bool isCompiled = false;  ///< `:engine jit`
    bool isQuiet = false;  ///< what is shown is not wanted
    bool isTimed = false;  ///< `:time on`
    types::Random random;  ///< of what is evaluated; streams have generators of their own
    std::uint64_t inputs = 0;
    std::uint64_t unsaid = 0;  ///< errors of this answer
    Answer* answer = nullptr;
};

}  // namespace strc::repl
