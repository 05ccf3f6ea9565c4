/// Programs: streams compiled by libstrc, and run in this process. Errors are values; nothing here throws but for memory
/// that runs out.
#ifndef STRC_DSL_PROGRAM_H
#define STRC_DSL_PROGRAM_H

#include <iterator>
#include <map>
#include <ranges>
#include <span>
#include <strc/dsl/stream.h>
#include <string_view>
#include <unordered_map>

namespace strc {

struct Diagnostic {
    std::string code;  ///< as `strc explain` knows it
    std::string message;
    std::string file;  ///< of C++, or of the language; empty: it has no place
    unsigned line = 0, column = 0;
    std::string text;  ///< as the command line prints it
    bool isError = false;
};

/// What the command line has as options (docs/command-line.md).
struct Options {
    bool fast_math = false;
    int level = 2;
    bool interpret = false;
    bool checks = true;
    int at_once =
        4096;  ///< items of an open end that are done together: more are faster, fewer take less memory
    int bound =
        0;  ///< of programs with dynamic rates or messages between calls: items that wait in a queue
    bool replaceable = false;  ///< Program::replace may be called
    std::string weights = {};
    std::vector<std::string> keep = {};  ///< parameters that `set` changes
    std::vector<std::pair<std::string, std::string>> more =
        {};  ///< others, by name; an empty value: it has none
};

/// What came of a call.
struct Progress {
    bool ok = false;
    std::size_t taken = 0, given = 0;  ///< items
    explicit operator bool() const { return ok; }
};

/// How far a program without open ends runs: to the first of those that are not 0.
struct RunOptions {
    std::uint64_t iterations = 0, limit = 0;
    double seconds = 0;
};
struct RunResult {
    bool ok = false;
    std::string printed;
    strc_run_result about{};
    explicit operator bool() const { return ok; }
};

/// How far it is that a program goes on as another one.
struct Replacement {
    strc_replacing state = STRC_REPLACING_NOTHING;
    std::string told;  ///< what is kept, a line for each filter and channel
    std::string errors;  ///< why it was refused, as the command line prints it
    /// Does the new program run?
    explicit operator bool() const { return state == STRC_REPLACING_DONE; }
};

namespace detail {

/// Nodes, children first, as the library wants them.
class Feed {
public:
    explicit Feed(strc_tree* tree) : tree(tree) {}

    /// 0: a node is none, as strc_tree_refusal says.
    std::uint32_t add(const NodeRef& root) {
        std::vector<std::pair<const Node*, std::size_t>> path{{root.get(), 0}};
        while (!path.empty()) {
            auto& [now, next] = path.back();
            if (next < now->children.size()) {
                const Node* child = now->children[next++].get();
                if (!numbers.contains(child)) path.emplace_back(child, 0);
            } else {
                if (!numbers.contains(now) && !addOne(*now)) return 0;
                path.pop_back();
            }
        }
        return numbers.at(root.get());
    }

private:
    bool addOne(const Node& given) {
        std::vector<std::uint32_t> children;
        for (const NodeRef& child : given.children) children.push_back(numbers.at(child.get()));
        strc_node made{};
        made.size = sizeof made;
        made.kind = given.kind;
        made.name = given.name.c_str();
        made.text = given.text.c_str();
        made.integer = given.integer;
        made.number = given.number;
        made.children = children.data();
        made.child_count = children.size();
        made.file = given.file;
        made.line = given.line;
        made.column = given.column;
        made.function = given.function;
        return (numbers[&given] = strc_tree_add(tree, &made)) != 0;
    }

    strc_tree* tree;
    std::unordered_map<const Node*, std::uint32_t> numbers;
};

struct FreeCompiler {
    void operator()(strc_compiler* compiler) const { strc_compiler_free(compiler); }
};
struct FreeStream {
    void operator()(strc_stream* stream) const { strc_stream_free(stream); }
};
struct FreeTree {
    void operator()(strc_tree* tree) const { strc_tree_free(tree); }
};

/// As messages of the language write it; null: a struct, an array.
template <typename T>
constexpr const char* itemName() {
    if constexpr (std::same_as<T, float>) return "float";
    if constexpr (std::same_as<T, int>) return "int";
    if constexpr (std::same_as<T, Complex>) return "complex";
    if constexpr (std::same_as<T, bool>) return "boolean";
    if constexpr (std::same_as<T, Bit>) return "bit";
    return nullptr;
}

}  // namespace detail

/// A compiled program. It keeps its state from call to call; whoever wants another state compiles again.
class Program {
public:
    explicit Program(const Stream& main, const Options& wanted = {},
                     strc_stage last = STRC_STAGE_PLANNED)
        : compiler(strc_compiler_new()), options(wanted) {
        if (compiler)
            isFine = load(*compiler, main) &&
                     strc_compiler_compile(compiler.get(), last, &Program::print, printed.get()) ==
                         STRC_OK;
    }
    Program(Program&&) = default;
    /// The other one goes on as this one was, until it ends: streams end before their compilers.
    Program& operator=(Program&& other) noexcept {
        std::swap(compiler, other.compiler);
        std::swap(next, other.next);
        std::swap(stream, other.stream);
        std::swap(printed, other.printed);
        std::swap(options, other.options);
        std::swap(fault, other.fault);
        std::swap(refused, other.refused);
        std::swap(isFine, other.isFine);
        std::swap(hasStream, other.hasStream);
        return *this;
    }

    /// Is it compiled? Else `diagnostics` say why.
    explicit operator bool() const { return isFine; }
    std::vector<Diagnostic> diagnostics() const {
        std::vector<Diagnostic> all = diagnosticsOf(compiler.get(), fault);
        all.insert(all.end(), refused.begin(), refused.end());
        return all;
    }
    /// All diagnostics as the command line prints them.
    std::string errors() const { return textOf(diagnostics()); }
    /// The program in the language.
    std::string str() const {
        const char* text = compiler ? strc_compiler_tree_text(compiler.get(), nullptr) : nullptr;
        return text ? text : "";
    }

    /// Takes items and gives what comes of them; the output is the same however the input is cut. What is too little for
    /// a steady state waits inside.
    template <std::ranges::contiguous_range In, std::ranges::contiguous_range Out>
    Progress process(const In& in, Out&& out) {
        using I = std::ranges::range_value_t<In>;
        using O = std::ranges::range_value_t<Out>;
        if (!isOpen() || !fits<I>(true) || !fits<O>(false)) return {};
        Progress done;
        done.ok = strc_stream_process(stream.get(), std::ranges::data(in), std::ranges::size(in),
                                      std::ranges::data(out), std::ranges::size(out), &done.taken,
                                      &done.given) == STRC_OK;
        return done;
    }
    /// The input is over: what can still be computed of the items inside.
    template <std::ranges::contiguous_range Out>
    Progress drain(Out&& out) {
        if (!isOpen() || !fits<std::ranges::range_value_t<Out>>(false)) return {};
        Progress done;
        done.ok = strc_stream_drain(stream.get(), std::ranges::data(out), std::ranges::size(out),
                                    &done.given) == STRC_OK;
        return done;
    }
    /// Tensors, each where it lies, row by row.
    Progress processItems(std::span<const void* const> in, std::span<void* const> out) {
        if (!isOpen()) return {};
        Progress done;
        done.ok = strc_stream_process_items(stream.get(), in.data(), in.size(), out.data(),
                                            out.size(), &done.taken, &done.given) == STRC_OK;
        return done;
    }
    /// As it was at the beginning.
    void reset() {
        if (stream) strc_stream_reset(stream.get());
    }
    /// A parameter of `Options::keep`.
    template <typename T>
    bool set(const std::string& parameter, const T& value) {
        if (!isOpen()) return false;
        const strc_status done =
            strc_stream_set(stream.get(), parameter.c_str(), &value, sizeof value);
        if (done == STRC_WRONG_CALL)
            fault = "no parameter '" + parameter +
                    "' with a value of that type stays open (Options::keep)";
        return done == STRC_OK;
    }

    /// Goes on as another program, with the state of all that has stayed the same (docs/live.md): a thread of the library compiles it, and a
    /// later `process` changes over to it. With `fade` so many items of the output are mixed from both. False: `Options::replaceable` is missing, or
    /// the one before is still on its way, or what was recorded is none, as `errors` says. If nobody has asked `replacement` how the one before ended, nobody is told. Other threads may call it while one
    /// processes.
    bool replace(const Stream& main, std::uint64_t fade = 0) {
        if (!options.replaceable || !isOpen()) return false;
        if (next) (void)replacement();
        if (next) return false;
        std::unique_ptr<strc_compiler, detail::FreeCompiler> made(strc_compiler_new());
        refused.clear();
        if (!made) return false;
        if (!load(*made, main)) {
            refused = diagnosticsOf(made.get(), {});
            return false;
        }
        if (strc_stream_replace(stream.get(), made.get(), fade) != STRC_OK) return false;
        next = std::move(made);
        return true;
    }
    /// How far that is; with `waits` once it is compiled, or refused. From then on that the new program runs its `diagnostics` and `str` are those of
    /// the program: no other thread is to use it meanwhile.
    Replacement replacement(bool waits = false);

    /// What `process` and `drain`, and the graph while it was built, have printed since the last call.
    std::string takePrinted() { return std::exchange(*printed, {}); }

    /// Runs from the start. What is printed, while the graph is built as well, is part of the result.
    RunResult run(const RunOptions& wanted = {}) {
        RunResult done;
        if (!isFine) return done;
        done.printed = *printed;
        strc_run_options options{};
        options.size = sizeof options;
        options.iterations = wanted.iterations;
        options.limit = wanted.limit;
        options.seconds = wanted.seconds;
        options.user = &done.printed;
        options.print = &Program::print;
        done.ok = strc_compiler_run(compiler.get(), &options, &done.about) == STRC_OK;
        return done;
    }
    /// The handle of the C functions, for all else.
    strc_compiler* handle() const { return compiler.get(); }

private:
    static void print(void* to, const char* text, std::size_t size) {
        static_cast<std::string*>(to)->append(text, size);
    }
    bool load(strc_compiler& to, const Stream& main);
    bool setOptions(strc_compiler& to);
    static std::vector<Diagnostic> diagnosticsOf(strc_compiler* compiler, const std::string& fault);
    static std::string textOf(const std::vector<Diagnostic>& all) {
        std::string text;
        for (const Diagnostic& each : all) text += each.text;
        return text;
    }
    bool isOpen();
    template <typename T>
    bool fits(bool isInput);

    std::unique_ptr<strc_compiler, detail::FreeCompiler> compiler;
    std::unique_ptr<strc_compiler, detail::FreeCompiler>
        next;  ///< that is to take the place; the stream may be its own already
    std::unique_ptr<strc_stream, detail::FreeStream> stream;
    std::unique_ptr<std::string> printed =
        std::make_unique<std::string>();  ///< where it stays when the program is moved
    Options options;
    std::string fault;  ///< of a call, in the words of a diagnostic
    std::vector<Diagnostic> refused;  ///< of what was recorded last to take the place
    bool isFine = false, hasStream = false;
};

/// False: there is no such option, or not with such a value.
inline bool Program::setOptions(strc_compiler& to) {
    std::string wrong;
    auto value = [&](const std::string& name, const std::string& text) {
        const char* given = text.empty() ? nullptr : text.c_str();
        if (strc_compiler_set(&to, name.c_str(), given) == STRC_OK) return;
        if (!wrong.empty()) wrong += "; ";
        wrong += "there is no option '" + name + "'" +
                 (given ? " with the value '" + text + "'" : " without a value");
    };
    auto flag = [&](bool isSet, const char* name) {
        if (isSet) value(name, "");
    };
    flag(options.fast_math, "fast-math");
    flag(options.interpret, "interpret");
    flag(options.replaceable, "replaceable");
    value("O", std::to_string(options.level));
    if (!options.checks) value("check", "none");
    if (options.bound > 0) value("bound", std::to_string(options.bound));
    if (!options.weights.empty()) value("weights", options.weights);
    for (const std::string& parameter : options.keep) value("keep-param", parameter);
    for (const auto& [name, text] : options.more) value(name, text);
    if (!wrong.empty()) fault = wrong;
    return wrong.empty();
}

/// What was recorded outside of all filters goes along, as it is a fault.
inline bool Program::load(strc_compiler& to, const Stream& main) {
    const std::unique_ptr<strc_tree, detail::FreeTree> tree(strc_tree_new());
    if (!tree) return false;
    std::vector<detail::NodeRef> strays = std::exchange(detail::recorder().strays, {});
    detail::NodeRef top = main.node;
    if (!strays.empty()) {
        const detail::NodeRef around = detail::node(
            STRC_NODE_FILTER, {detail::TypeOf<void>::make(), detail::TypeOf<void>::make()});
        for (detail::NodeRef& stray : strays) around->children.push_back(std::move(stray));
        top = detail::node(STRC_NODE_PIPELINE, {around, top});
    }
    if (!setOptions(to)) return false;
    detail::Feed feed(tree.get());
    const std::uint32_t number = feed.add(top);
    if (number == 0) {
        fault = strc_tree_refusal(tree.get());
        return false;
    }
    if (strc_compiler_add_tree(&to, tree.get(), number) != STRC_OK) return false;
    if (strc_compiler_tree_is_open(&to) != 0)
        strc_compiler_set(&to, "at-once", std::to_string(options.at_once).c_str());
    return true;
}

inline Replacement Program::replacement(bool waits) {
    strc_replacement about{};
    about.size = sizeof about;
    if (!stream || strc_stream_replacement(stream.get(), waits ? 1 : 0, &about) != STRC_OK)
        return {};
    Replacement found{about.state, about.told, {}};
    if (about.state == STRC_REPLACING_REFUSED && next) {
        found.errors = textOf(diagnosticsOf(next.get(), {}));
        next.reset();
    } else if (about.state == STRC_REPLACING_DONE && next) {
        compiler = std::move(next);
    }
    return found;
}

inline bool Program::isOpen() {
    if (!isFine) return false;
    if (!hasStream) {
        hasStream = true;
        strc_stream* made = nullptr;
        if (strc_stream_new(compiler.get(), &made) == STRC_OK) {
            stream.reset(made);
            strc_stream_set_print(made, &Program::print, printed.get());
        }
    }
    return stream != nullptr;
}

/// Are the items of that end such values? A struct or an array is one by its size.
template <typename T>
bool Program::fits(bool isInput) {
    strc_items items{};
    const strc_status status = isInput ? strc_compiler_input(compiler.get(), &items)
                                       : strc_compiler_output(compiler.get(), &items);
    if (status != STRC_OK) return false;
    const char* wanted = detail::itemName<T>();
    const bool isSame = items.type == nullptr ||
                        (wanted ? std::string_view(items.type) == wanted : items.size == sizeof(T));
    if (!isSame)
        fault = std::string(isInput ? "the input" : "the output") +
                " of the program has items of type " + items.type + ", not such as were given";
    return isSame;
}

inline std::vector<Diagnostic> Program::diagnosticsOf(strc_compiler* compiler,
                                                      const std::string& fault) {
    std::vector<Diagnostic> all;
    if (!compiler)
        return {{"no-memory", "there is no memory for a compiler", "", 0, 0,
                 "there is no memory for a compiler\n", true}};
    strc_diagnostic each;
    for (std::size_t k = 0; strc_compiler_diagnostic(compiler, k, &each) == STRC_OK; ++k)
        all.push_back({each.code, each.message, each.file ? each.file : "", each.begin.line,
                       each.begin.column, each.text, each.severity == STRC_SEVERITY_ERROR});
    if (!fault.empty())
        all.push_back({"wrong-call", fault, "", 0, 0, "strc: error: " + fault + "\n", true});
    return all;
}

inline Program compile(const Stream& main, const Options& options = {}) {
    return Program(main, options);
}

/// The program in the language, without compiling it; empty if something is wrong with it, which compile tells.
inline std::string str(const Stream& main) { return Program(main, {}, STRC_STAGE_NOTHING).str(); }

}  // namespace strc

#endif
