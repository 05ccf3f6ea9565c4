// The functions of the header, put together.
#include "csource/detail/interface.h"

#include <algorithm>

#include <fmt/format.h>

namespace strc::csource {
namespace {

bool asksForIteration(const Functions& functions) {
    for (const auto& function : functions.all())
        for (const ir::Block& block : function->body->blocks)
            for (const ir::Instr& instr : block.instrs)
                if (instr.op == ir::Op::Iter && function->liveness->isLive(instr)) return true;
    return false;
}

}  // namespace

std::int64_t windowItems(const Counts& counts) {
    const std::int64_t look =
        std::max({counts.firstIn, counts.firstIn - counts.firstPop + counts.in, counts.look});
    return look;
}

std::int64_t pendingItems(const Counts& counts) { return std::max(counts.out, counts.firstOut); }

Shape::Shape(const Source& source, const Functions& functions)
    : counts(countsOf(source.kernel)),
      hasInput(source.program.elaboration.graph.input != graph::kNone),
      hasOutput(source.program.elaboration.graph.output != graph::kNone),
      hasPrework(source.kernel.code.prework.has_value()),
      startsLate(source.kernel.code.startsLate),
      follows(startsLate ||
              std::any_of(source.kernel.updates.begin(), source.kernel.updates.end(),
                          [](std::uint32_t update) { return update != ir::kNone; })),
      begins(hasPrework || startsLate),
      takesItems(hasInput && windowItems(counts) > 0),
      givesItems(hasOutput && pendingItems(counts) > 0),
      asksIteration(asksForIteration(functions)) {
    for (const auto& function : functions.all()) {
        recurses = recurses || function->isRecursive;
        fails = fails || function->fails;
    }
}

std::string named(const Source& source, std::string_view text) {
    std::string made;
    for (const char c : text) {
        if (c == '@')
            made += source.program.mainStream;
        else
            made += c;
    }
    return made;
}

std::string number(std::int64_t n) { return std::to_string(n) + "u"; }

std::string replaced(std::string text, std::string_view word, const std::string& by) {
    for (std::size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
    return text;
}

std::string firing(const Function& function, std::string_view in, std::string_view out) {
    std::string list;
    auto add = [&](bool isThere, std::string_view argument) {
        if (isThere) list += fmt::format("{}{}", list.empty() ? "" : ", ", argument);
    };
    add(function.usesSelf, "self");
    add(function.usesInput, in);
    add(function.usesOutput, out);
    return fmt::format("{}({})", function.name, list);
}

std::string callOf(const Function& function, std::string_view in, std::string_view out,
                   std::string_view more) {
    std::string list;
    auto add = [&](bool isThere, std::string_view argument) {
        if (isThere) list += fmt::format("{}{}", list.empty() ? "" : ", ", argument);
    };
    add(function.usesSelf, "self");
    add(function.usesInput, in);
    add(function.usesOutput, out);
    add(function.countsPops, "&popped");
    add(function.countsPushes, "&pushed");
    add(!more.empty(), more);
    return fmt::format("{}({})", function.name, list);
}

std::vector<const Function*> starters(const Source& source, const Functions& functions) {
    std::vector<const Function*> all;
    const ir::StreamCode& code = source.kernel.code;
    if (code.startsLate) all.push_back(&functions.of(code.setup));
    if (code.startsLate && code.init) all.push_back(&functions.of(*code.init));
    return all;
}

Counts countsOf(const elab::Kernel& kernel) {
    Counts counts;
    counts.in = kernel.work.pop.max;
    counts.look = std::max(kernel.work.peek.max, counts.in);
    counts.out = kernel.work.push.max;
    counts.firstIn = counts.look - counts.in;
    if (!kernel.prework) return counts;
    counts.firstPop = kernel.prework->pop.max;
    counts.firstLook = std::max(kernel.prework->peek.max, counts.firstPop);
    counts.firstOut = kernel.prework->push.max;
    counts.firstIn = std::max(counts.firstLook, counts.firstPop + counts.firstIn);
    return counts;
}

std::string printStates(const Source& source, const Functions& functions, std::string_view handle) {
    return printState(source, Shape(source, functions), handle);
}

std::string printInterface(Source& source, const Functions& functions) {
    const Shape shape(source, functions);
    std::string text = printAgain(source, functions, shape);
    std::string items = printProcess(source, shape) +
                        (source.kernel.drain ? printLoweredDrain(source, functions, shape)
                                              : printDrain(source, shape));
    if (hasEnds(source)) {
        for (const char* name : {"process", "drain"})
            items = replaced(std::move(items), named(source, fmt::format("int @_{}(", name)),
                             named(source, fmt::format("static int @_{}_all(", name)));
        items += printEnds(source, shape);
    }
    text += printFiring(source, functions, shape) + items + printLife(source) +
            printSetters(source, shape);
    return text + named(source,
                        "const char *@_message(const @_handle *self) {\n"
                        "    return self && self->message ? self->message : \"\";\n}\n");
}

}  // namespace strc::csource
