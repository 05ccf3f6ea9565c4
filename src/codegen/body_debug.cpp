#include "codegen/detail/body_debug.h"

namespace strc::codegen {
namespace {

using ir::Instr;
using ir::Op;

/// Scopes inside of one another; LLVM walks them by recursion.
constexpr std::size_t kMostScopes = 500;
/// Instructions between a variable of a `for` and its loop.
constexpr std::ptrdiff_t kMostInitialising = 200;

bool contains(base::SourceRange outer, base::SourceRange inner) {
    return outer.buffer == inner.buffer && outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

BodyDebug::BodyDebug(DebugInfo& info, llvm::Function& made, const std::string& name,
                     const ir::Body& code, llvm::IRBuilder<>& variables)
    : debug(info), body(code), entry(variables) {
    const base::SourceRange range = body.header.valid() ? body.header : body.range;
    function = debug.function(made, name, range);
    start = debug.location(range, function);
    scopes.push_back({function, {}, nullptr});
}

/// At -O0 arguments are kept where they can be found after their registers have been used again.
void BodyDebug::home(llvm::DILocalVariable* variable, llvm::Argument* argument) {
    if (!debug.keepsAll()) {
        debug.value(variable, argument, debug.expression(), start, entry.GetInsertBlock());
        return;
    }
    llvm::Value*& slot = homes[argument];
    if (!slot) {
        slot = entry.CreateAlloca(argument->getType());
        entry.CreateStore(argument, slot);
    }
    debug.declare(variable, slot, debug.expression(), start, entry.GetInsertBlock());
}

void BodyDebug::instance(llvm::Argument* node) {
    home(debug.argument(function, "strc_instance", ++arguments, body.range, debug.instance()),
         node);
}

void BodyDebug::parameter(const ir::Variable& parameter, llvm::Value* at) {
    if (parameter.name.empty() || !types::isConcrete(parameter.type)) return;
    scopes.front().names.insert(parameter.name);
    auto* variable = debug.argument(function, parameter.name, ++arguments, parameter.range,
                                    debug.type(parameter.type));
    auto* argument = llvm::dyn_cast<llvm::Argument>(at);
    if (argument && debug.keepsAll()) {
        auto* slot = entry.CreateAlloca(argument->getType());
        entry.CreateStore(argument, slot);
        debug.declare(variable, slot, debug.expression({llvm::dwarf::DW_OP_deref}), start,
                      entry.GetInsertBlock());
    } else {
        debug.declare(variable, at, debug.expression(), start, entry.GetInsertBlock());
    }
}

void BodyDebug::behind(llvm::Argument* pointer, std::initializer_list<std::uint64_t> offsets,
                       const std::string& name, base::SourceRange range, llvm::DIType* type) {
    using namespace llvm::dwarf;
    if (!scopes.front().names.insert(name).second) return;
    auto* variable = debug.variable(function, name, range, type);
    llvm::BasicBlock* block = entry.GetInsertBlock();
    const bool keepsAll = debug.keepsAll();
    std::vector<std::uint64_t> how;
    for (std::uint64_t offset : offsets) {
        if (keepsAll) how.push_back(DW_OP_deref);
        how.insert(how.end(), {DW_OP_plus_uconst, offset});
        if (!keepsAll) how.push_back(DW_OP_deref);
    }
    if (!keepsAll) {
        debug.value(variable, pointer, debug.expression(how), start, block);
        return;
    }
    llvm::Value*& slot = homes[pointer];
    if (!slot) {
        slot = entry.CreateAlloca(pointer->getType());
        entry.CreateStore(pointer, slot);
    }
    debug.declare(variable, slot, debug.expression(how), start, block);
}

void BodyDebug::constant(const ir::Variable& constant, const types::Type* type, llvm::Constant* is,
                         llvm::GlobalVariable* at) {
    if (constant.name.empty() || !scopes.front().names.insert(constant.name).second) return;
    if (at) {
        debug.memory(function, constant.name, constant.range, debug.fixed(type), at);
        return;
    }
    auto* variable = debug.variable(function, constant.name, constant.range, debug.fixed(type));
    debug.value(variable, is, debug.expression(), start, entry.GetInsertBlock());
}

void BodyDebug::counter(const char* name, llvm::Value* at) {
    auto* variable = debug.variable(function, name, body.range, debug.counter());
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(at))
        return behind(argument, {0}, name, body.range, debug.counter());
    debug.declare(variable, at, debug.expression(), start, entry.GetInsertBlock());
}

// ---------------------------------------------------------------- scopes

void BodyDebug::enter(base::SourceRange range) {
    llvm::DIScope* scope = scopes.back().scope;
    if (scopes.size() < kMostScopes) scope = debug.block(scope, range);
    scopes.push_back({scope, {}, nullptr});
}

llvm::DebugLoc BodyDebug::at(const Instr& instr) {
    return instr.range.valid() ? placeOf(instr.range)
                               : debug.location(base::SourceRange{}, scopes.back().scope);
}

void BodyDebug::local(std::uint32_t index, llvm::Value* memory, bool isPointer,
                      std::vector<Instr>::const_iterator next,
                      std::vector<Instr>::const_iterator end, llvm::BasicBlock* block) {
    const ir::Variable& local = body.locals[index];
    if (local.name.empty() || !local.range.valid() || !memory || !types::isConcrete(local.type)) return;
    llvm::DIType* type = debug.type(local.type);
    if (end - next > kMostInitialising) end = next + kMostInitialising;
    auto loop = std::find_if(next, end, [](const Instr& each) { return each.op == Op::Loop; });
    const bool isOfLoop = loop != end && contains(loop->range, local.range);
    if (isOfLoop || scopes.back().names.contains(local.name)) {
        enter(local.range);
        if (isOfLoop) scopes.back().last = &*loop;
    }
    scopes.back().names.insert(local.name);
    auto* variable = debug.variable(scopes.back().scope, local.name, local.range, type);
    auto* how = isPointer ? debug.expression({llvm::dwarf::DW_OP_deref}) : debug.expression();
    debug.declare(variable, memory, how, placeOf(local.range), block);
}

void BodyDebug::after(const Instr& instr) {
    if (instr.op != Op::Loop) return;
    for (std::size_t k = scopes.size(); k-- > 1;)
        if (scopes[k].last == &instr) return scopes.resize(k);
}

}  // namespace strc::codegen
