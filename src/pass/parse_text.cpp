#include <algorithm>
#include <charconv>

#include "ir/verify.h"
#include "pass/detail/text_lines.h"
#include "pass/detail/text_words.h"
#include "pass/text.h"
#include "pass/verify.h"

namespace strc::pass {
namespace {

using detail::kNothing;
using detail::Line;
using graph::kNone;

/// Reads line by line. After a fault nothing more is read.
class Reader {
public:
    Reader(base::Context& around, detail::Lines& text)
        : context(around), source(text), lines(text.lines) {
        for (const Line& each : lines) {
            if (each.isPart) continue;
            const std::string_view word = each.words[0].text;
            kernelCount += word == "kernel";
            nodeCount += isNode(word);
            edgeCount += word == "edge";
            compositeCount += findComposite(word).has_value();
        }
    }

    std::optional<Program> run() {
        while (next < lines.size() && !failed) whole(take());
        made.complete = true;
        if (failed) return std::nullopt;
        return Program{std::make_shared<const elab::Elaboration>(std::move(made)),
                       std::move(quota)};
    }

private:
    // ---- words

    const Line& take() {
        line = &lines[next++];
        word = 0;
        return *line;
    }
    bool hasPart() const { return !failed && next < lines.size() && lines[next].isPart; }
    /// The first word of the next line, which belongs to the one before.
    std::string_view part() {
        take();
        return taken();
    }
    std::string_view taken() { return word < line->words.size() ? line->words[word++].text : ""; }
    bool hasWord() const { return word < line->words.size(); }
    void fail(const std::string& expected) {
        if (failed) return;
        failed = true;
        const std::size_t at = word > 0 ? word - 1 : 0;
        const bool isThere = word <= line->words.size() && at < line->words.size();
        base::Diagnostic& diag = context.diags.add(base::Diag::ExpectedToken,
                                                   isThere ? line->words[at].range : line->end);
        diag << expected
             << (isThere ? "'" + std::string(line->words[at].text) + "'" : "the end of the line");
    }
    template <typename Number>
    static bool read(std::string_view text, Number& number) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return error == std::errc() && end == text.data() + text.size() && !text.empty();
    }
    template <typename Number = std::int64_t>
    Number number() {
        Number made = 0;
        if (!read(takenOrEnd(), made)) fail("a number");
        return made;
    }
    std::string_view takenOrEnd() {
        if (hasWord()) return taken();
        word = line->words.size() + 1;
        return "";
    }
    std::uint32_t id(std::size_t count, const char* what) {
        std::uint32_t made = 0;
        if (!read(takenOrEnd(), made) || made >= count) fail(what);
        return made;
    }
    std::uint32_t idOrNone(std::size_t count, const char* what) {
        if (hasWord() && line->words[word].text == kNothing) {
            ++word;
            return kNone;
        }
        return id(count, what);
    }
    std::string name() {
        const std::string_view text = takenOrEnd();
        if (text.empty()) fail("a name");
        return text == kNothing ? std::string() : std::string(text);
    }
    std::string bytes() {
        auto made = detail::bytesOf(takenOrEnd());
        if (!made) fail("bytes");
        return made.value_or("");
    }
    graph::Rate rate() {
        const std::string_view text = takenOrEnd();
        graph::Rate made;
        const std::size_t dots = text.find(".."), wave = text.find('~');
        made.dynamic = dots != std::string_view::npos && wave != std::string_view::npos;
        const bool isRead = made.dynamic
                                ? read(text.substr(0, dots), made.min) &&
                                      read(text.substr(dots + 2, wave - dots - 2), made.max) &&
                                      read(text.substr(wave + 1), made.average)
                                : read(text, made.max);
        if (!isRead) fail("a rate");
        if (!made.dynamic) made.min = made.max;
        return made;
    }
    graph::Rates rates() {
        graph::Rates made;
        made.pop = rate();
        made.peek = rate();
        made.push = rate();
        return made;
    }
    const types::Type* type() {
        if (line->typed == ir::kNone) fail("a type");
        return failed ? nullptr : source.values[line->typed].type;
    }
    types::Value value() {
        if (line->typed == ir::kNone) fail("a value");
        return failed ? types::Value{} : source.values[line->typed];
    }
    template <typename Number>
    void numbers(std::vector<Number>& all) {
        while (hasWord() && !failed) all.push_back(number<Number>());
    }

    // ---- lines

    static std::optional<std::size_t> findNode(std::string_view word) {
        const auto found = std::find(detail::nodeWords.begin(), detail::nodeWords.end(), word);
        if (found == detail::nodeWords.end()) return std::nullopt;
        return static_cast<std::size_t>(found - detail::nodeWords.begin());
    }
    static bool isNode(std::string_view word) { return findNode(word).has_value(); }
    static std::optional<std::size_t> findComposite(std::string_view word) {
        const auto found =
            std::find(detail::compositeWords.begin(), detail::compositeWords.end(), word);
        if (found == detail::compositeWords.end()) return std::nullopt;
        return static_cast<std::size_t>(found - detail::compositeWords.begin());
    }

    void whole(const Line& first) {
        const std::string_view what = taken();
        if (first.isPart) return fail("a part of a program");
        if (what == "kernel") return kernel();
        if (what == "edge") return edge();
        if (const auto kind = findComposite(what))
            return composite(static_cast<graph::CompositeKind>(*kind));
        if (const auto kind = findNode(what)) return node(static_cast<graph::NodeKind>(*kind));
        if (what == "ends") {
            made.graph.input = idOrNone(edgeCount, "an edge");
            made.graph.output = idOrNone(edgeCount, "an edge");
        } else if (what == "keeps-samples") {
            made.graph.keepsSamples = true;
        } else if (what == "islands") {
            quota.islands = number<std::uint32_t>();
        } else if (what == "random") {
            made.random.state = number<std::uint64_t>();
        } else {
            fail("a part of a program");
        }
    }

    void kernel() {
        elab::Kernel it;
        const std::string called = name();
        const auto builtin = detail::findBuiltinWord(takenOrEnd());
        if (!builtin) return fail("a stream");
        it.builtin = *builtin;
        it.stream = idOrNone(kNone, "a number");
        it.firings = number<std::size_t>();
        it.stateSize = number();
        if (!takeCode(it.code)) return;
        it.code.name = called;
        std::size_t stored = 0;
        while (hasPart()) kernelPart(it, part(), stored);
        if (!areWithin(it)) fail("a field within the state");
        made.kernels.push_back(std::move(it));
    }
    /// Fields whose arrays are stored lie elsewhere.
    static bool areWithin(const elab::Kernel& it) {
        for (std::size_t k = 0; k < it.fieldTypes.size(); ++k) {
            const bool isStored = k < it.storedTensors.size() && it.storedTensors[k] != ir::kNone;
            if (isStored || !types::isConcrete(it.fieldTypes[k])) continue;
            const std::int64_t offset = it.fieldOffsets[k];
            if (offset < 0 || offset > it.stateSize - types::sizeOf(it.fieldTypes[k])) return false;
        }
        return true;
    }
    /// The code of kernels stands in their order.
    bool takeCode(ir::StreamCode& code) {
        if (nextCode >= source.module.streams.size()) {
            fail("code for each kernel");
            return false;
        }
        code = source.module.streams[nextCode++];
        return true;
    }
    void kernelPart(elab::Kernel& it, std::string_view what, std::size_t& stored) {
        if (what == "input")
            it.input = type();
        else if (what == "output")
            it.output = type();
        else if (what == "work")
            it.work = rates();
        else if (what == "prework")
            it.prework = rates();
        else if (what == "constant")
            it.constants.push_back(value());
        else if (what == "field") {
            it.fieldOffsets.push_back(number());
            it.fieldTypes.push_back(type());
        } else if (what == "tensors") {
            it.tensors.resize(it.fieldTypes.size());
            it.storedTensors.resize(it.fieldTypes.size(), ir::kNone);
        } else if (what == "tensor") {
            const std::uint32_t field = id(it.tensors.size(), "a field");
            const std::uint32_t array = idOrNone(it.code.stored.size(), "an array");
            if (failed) return;
            it.storedTensors[field] = array;
            it.tensors[field] = type();
        } else if (what == "declared") {
            it.declaredTensors.resize(it.fieldTypes.size());
        } else if (what == "declaration") {
            const std::uint32_t field = id(it.declaredTensors.size(), "a field");
            if (!failed) it.declaredTensors[field] = type();
        } else if (what == "array" || what == "weights") {
            if (stored >= it.code.stored.size()) return fail("an array that the code has");
            storedArray(it.code.stored[stored++], what == "weights");
        } else if (what == "blocks") {
            blocks(it);
        } else {
            fail("a part of a kernel");
        }
    }
    void storedArray(ir::StoredArray& array, bool isInFile) {
        array.name = bytes();
        array.isInFile = isInFile;
        const types::Value held = value();
        if (failed) return;
        std::shared_ptr<std::byte[]> memory(new std::byte[held.bytes.size()]);
        std::copy_n(reinterpret_cast<const std::byte*>(held.bytes.data()), held.bytes.size(),
                    memory.get());
        array.bytes = {memory, memory.get()};
        if (held.type != array.type) fail("an array of the type that the code says");
    }
    void blocks(elab::Kernel& it) {
        elab::Blocks all;
        all.firings = number();
        all.rates = rates();
        ir::StreamCode code;
        if (!takeCode(code)) return;
        if (!code.work) return fail("the code of the blocks");
        all.work = std::move(*code.work);
        it.blocks = std::move(all);
    }

    void composite(graph::CompositeKind kind) {
        graph::Composite it;
        it.kind = kind;
        it.name = name();
        it.index = number<std::uint32_t>();
        it.parent = idOrNone(compositeCount, "a composite");
        it.splitter = idOrNone(nodeCount, "a node");
        it.joiner = idOrNone(nodeCount, "a node");
        while (hasWord() && !failed) it.children.push_back(child());
        made.graph.composites.push_back(std::move(it));
    }
    graph::Child child() {
        const std::string_view text = taken();
        graph::Child it;
        it.isComposite = text.starts_with('c');
        const bool isRead =
            (it.isComposite || text.starts_with('n')) && read(text.substr(1), it.id);
        if (!isRead || it.id >= (it.isComposite ? compositeCount : nodeCount)) fail("a child");
        return it;
    }

    void node(graph::NodeKind kind) {
        graph::Node it;
        it.kind = kind;
        it.name = name();
        it.index = number<std::uint32_t>();
        it.parent = idOrNone(compositeCount, "a composite");
        it.order = number<std::uint32_t>();
        it.kernel = idOrNone(kernelCount, "a kernel");
        it.effects = number<std::uint8_t>();
        made.states.emplace_back();
        const std::size_t before = quota.steady.size();
        while (hasPart()) nodePart(it, part());
        for (const std::int64_t weight : it.weights) it.totalWeight += weight;
        if (quota.steady.size() != before + 1) fail("one quota for each node");
        checkState(it.kernel);
        made.graph.nodes.push_back(std::move(it));
    }
    void checkState(graph::KernelId kernel) {
        if (failed || kernel >= made.kernels.size()) return;
        const std::int64_t size = made.kernels[kernel].stateSize;
        const auto& state = made.states.back();
        if (!state || static_cast<std::int64_t>(state->size()) < size)
            fail("a state of " + std::to_string(size) + " bytes");
    }
    void nodePart(graph::Node& it, std::string_view what) {
        if (what == "work")
            it.work = rates();
        else if (what == "prework")
            it.prework = rates();
        else if (what == "weights")
            numbers(it.weights);
        else if (what == "inputs")
            edges(it.inputs);
        else if (what == "outputs")
            edges(it.outputs);
        else if (what == "file")
            it.file = bytes();
        else if (what == "state")
            made.states.back() = std::make_shared<const std::string>(bytes());
        else if (what == "origin")
            made.origin.push_back(idOrNone(kNone, "a node"));
        else if (what == "quota") {
            quota.init.push_back(number());
            quota.steady.push_back(number());
            quota.island.push_back(number<std::uint32_t>());
        } else {
            fail("a part of a node");
        }
    }
    void edges(std::vector<graph::EdgeId>& all) {
        while (hasWord() && !failed) all.push_back(id(edgeCount, "an edge"));
    }

    void edge() {
        graph::Edge it;
        it.from = idOrNone(nodeCount, "a node");
        it.fromPort = number<std::uint32_t>();
        it.to = idOrNone(nodeCount, "a node");
        it.toPort = number<std::uint32_t>();
        while (hasPart()) edgePart(it, part());
        if (!it.type) fail("the type of the items");
        made.graph.edges.push_back(std::move(it));
    }
    void edgePart(graph::Edge& it, std::string_view what) {
        if (what == "items")
            it.type = type();
        else if (what == "tensor")
            it.tensors.push_back(type());
        else if (what == "infiles")
            it.inFiles = type();
        else if (what == "item")
            it.initial.push_back(value());
        else
            fail("a part of an edge");
    }

    base::Context& context;
    detail::Lines& source;
    const std::vector<Line>& lines;
    std::size_t kernelCount = 0, nodeCount = 0, edgeCount = 0, compositeCount = 0;
    std::size_t next = 0, word = 0, nextCode = 0;
    const Line* line = nullptr;
    bool failed = false;
    elab::Elaboration made;
    graph::Repetitions quota;
};

}  // namespace

bool isProgramText(std::string_view text) {
    return detail::findMain(text) != std::string_view::npos;
}

std::optional<ReadProgram> parseProgram(base::Context& context, base::BufferId buffer,
                                        types::TypeTable& types) {
    auto lines = detail::linesOf(context, buffer, types);
    if (!lines) return std::nullopt;
    auto program = Reader(context, *lines).run();
    if (!program) return std::nullopt;
    lines->module.streams.clear();
    ReadProgram made{std::move(lines->module), std::move(*program)};
    const std::vector<std::string> faults = verify(made.module, made.program);
    for (const std::string& fault : faults)
        context.diags.add(base::Diag::MalformedInput)
            << context.sources.name(buffer) << "program" << fault;
    if (!faults.empty()) return std::nullopt;
    return made;
}

}  // namespace strc::pass
