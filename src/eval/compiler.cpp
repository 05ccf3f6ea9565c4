#include "eval/detail/compiler.h"

#include <algorithm>
#include <map>

#include "ir/scalarise.h"

namespace strc::eval {

Compiler::Compiler(Code& code, Function& function, const ir::Body& body, Linker& linker,
                   std::span<const std::int64_t> fieldOffsets)
    : state(code, function, body),
      scalars(state),
      accesses(state),
      variables(state, accesses, fieldOffsets),
      linker(linker) {}

void Compiler::compile() {
    out.beginRegisters(state.frame.end());
    out.markRange(body.range);
    prologue();
    block(body.entry, {});
    emitReturn(nullptr);
    out.finish(state.code.hostOps);
    Function& function = state.function;
    function.need =
        function.arrayBytes > kLargestFrame ? UINT64_MAX : function.slots + function.outgoing;
    function.weight = 1 + static_cast<std::uint32_t>(function.code.size() / 4);
}

void Compiler::prologue() {
    for (std::size_t k = body.params; k < state.frame.size(); ++k)
        if (state.frame[k].extents != 0)
            for (std::uint32_t part : {kAddress, kCapacity})
                out.op(Code32::Const, {state.frame[k].slot + part, 0});
    if (state.frame.hasDynamic()) out.op(Code32::ArenaMark, {arenaMark = out.take(1)});
    if (state.analysis.hasStrings()) out.op(Code32::StringMark, {stringMark = out.take(1)});
}

void Compiler::epilogue() {
    if (state.analysis.hasStrings()) out.op(Code32::StringRelease, {stringMark});
    if (state.frame.hasDynamic()) out.op(Code32::ArenaRelease, {arenaMark});
}

// ---- all functions of a Code

namespace {

class CodeLinker final : public Linker {
public:
    CodeLinker(Code& code, std::span<const std::int64_t> fieldOffsets)
        : code(code), fieldOffsets(fieldOffsets) {}

    std::uint32_t function(ir::Callee callee) override {
        auto fresh = static_cast<std::uint32_t>(bodies.size());
        auto [found, isNew] = numbers.try_emplace({callee.kind, callee.index}, fresh);
        if (isNew) bodies.push_back(&withoutVectors(body(callee)));
        return found->second;
    }

    const ir::Body& body(ir::Callee callee) override {
        if (callee.kind == ir::CalleeKind::Package) return code.module->functions[callee.index];
        return code.stream->functions[callee.index];
    }

    void compile(const ir::Body& main) {
        bodies.push_back(&withoutVectors(main));
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            code.functions.emplace_back();
            code.functions.back().body = bodies[k];
            Compiler(code, code.functions.back(), *bodies[k], *this, fieldOffsets).compile();
        }
        for (const Function& function : code.functions) code.table.push_back(&function);
    }

private:
    const ir::Body& withoutVectors(const ir::Body& any) {
        if (!ir::hasLanes(any)) return any;
        return code.scalarised.emplace_back(ir::scalarise(*code.types, any));
    }

    Code& code;
    std::span<const std::int64_t> fieldOffsets;
    std::vector<const ir::Body*> bodies;
    std::map<std::pair<ir::CalleeKind, std::uint32_t>, std::uint32_t> numbers;
};

}  // namespace

void CodeDeleter::operator()(const Code* code) const { delete code; }

CodePtr compile(const ir::Module& module, const ir::StreamCode* stream, const ir::Body& body,
                types::TypeTable& types, std::span<const std::int64_t> fieldOffsets) {
    auto code = std::make_unique<Code>();
    code->module = &module;
    code->stream = stream;
    code->types = &types;
    CodeLinker(*code, fieldOffsets).compile(body);
    return CodePtr(code.release());
}

SourceRange Function::rangeAt(const std::uint32_t* at) const {
    auto word = static_cast<std::uint32_t>(at - code.data());
    auto found = std::upper_bound(
        ranges.begin(), ranges.end(), word,
        [](std::uint32_t w, const CodeRange& location) { return w < location.at; });
    return found == ranges.begin() ? body->range : std::prev(found)->range;
}

std::uint32_t Function::firingAt(const std::uint32_t* at) const {
    auto word = static_cast<std::uint32_t>(at - code.data());
    auto found =
        std::lower_bound(firingCalls.begin(), firingCalls.end(), word,
                         [](const FiringCall& call, std::uint32_t w) { return call.at < w; });
    return found != firingCalls.end() && found->at == word ? found->node : ir::kNone;
}

}  // namespace strc::eval
