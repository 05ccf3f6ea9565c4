#include "codegen/detail/debug.h"

#include <filesystem>

#include "base/assert.h"
#include "graph/hierarchy.h"

namespace strc::codegen {

using types::Type;
using types::TypeKind;

namespace {

/// LLVM reads no other; older debuggers do not know the later ones.
constexpr unsigned kDwarfVersion = 4;

std::uint64_t bits(std::int64_t bytes) { return static_cast<std::uint64_t>(bytes) * 8; }

std::string currentFolder() {
    std::error_code fault;
    std::filesystem::path path = std::filesystem::current_path(fault);
    return fault ? "." : path.string();
}

}  // namespace

DebugInfo::DebugInfo(const base::SourceManager& texts, const plan::Plan& made,
                     const Options& options, llvm::Module& into)
    : sources(texts), plan(made), level(options.level), module(into), build(into) {
    const graph::Graph& graph = plan.program->graph;
    mainFile =
        graph.composites.empty() ? graph.nodes[0].range.buffer : graph.composites[0].header.buffer;
    if (!mainFile.valid() && sources.size() > 0) mainFile.index = 0;
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", kDwarfVersion);
    // Debuggers take the language of C for what is most like it.
    unit =
        build.createCompileUnit(llvm::dwarf::DW_LANG_C99, file(mainFile), "strc", level > 0, "", 0);
}

void DebugInfo::finish() {
    addStages();
    build.finalize();
}

llvm::DIFile* DebugInfo::file(base::BufferId buffer) {
    if (!buffer.valid()) buffer = mainFile;
    llvm::DIFile*& made = files[buffer.index];
    if (!made) made = build.createFile(sources.name(buffer), currentFolder());
    return made;
}

base::LineColumn DebugInfo::position(base::SourceRange range) const {
    if (!range.valid()) return {};
    return sources.position(range.buffer, range.begin);
}

// ---------------------------------------------------------------- functions and places

llvm::DISubprogram* DebugInfo::function(llvm::Function& function, const std::string& name,
                                        base::SourceRange range) {
    auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagLocalToUnit;
    if (level > 0) flags |= llvm::DISubprogram::SPFlagOptimized;
    const unsigned line = position(range).line;
    auto* type = build.createSubroutineType(build.getOrCreateTypeArray({}));
    auto* made = build.createFunction(unit, name, "", file(range.buffer), line, type, line,
                                      llvm::DINode::FlagPrototyped, flags);
    function.setSubprogram(made);
    // Frames can be left by debuggers at any instruction.
    function.setUWTableKind(llvm::UWTableKind::Async);
    if (keepsAll()) function.addFnAttr("frame-pointer", "all");
    return made;
}

llvm::DebugLoc DebugInfo::phase(llvm::Function& function) {
    const graph::Graph& graph = plan.program->graph;
    const base::SourceRange range =
        graph.composites.empty() ? graph.nodes[0].range : graph.composites[0].header;
    auto* made = this->function(function, function.getName().str(), range);
    auto* type = build.createPointerType(state(), 64);
    llvm::BasicBlock* entry = &function.getEntryBlock();
    llvm::DILocation* at = location(range, made);
    llvm::Value* pointer = function.getArg(1);
    auto* variable = argument(made, "strc_state", 1, range, type);
    if (keepsAll()) {
        llvm::IRBuilder<> b(entry, entry->begin());
        auto* home = b.CreateAlloca(pointer->getType());
        b.CreateStore(pointer, home);
        declare(variable, home, expression(), at, entry);
    } else {
        value(variable, pointer, expression(), at, entry);
    }
    return at;
}

llvm::DebugLoc DebugInfo::firing(llvm::Function& phase, const graph::Node& node) {
    llvm::DIScope* scope = phase.getSubprogram();
    if (node.range.valid() && file(node.range.buffer) != scope->getFile())
        scope = build.createLexicalBlockFile(scope, file(node.range.buffer));
    return location(node.range, scope);
}

llvm::DILexicalBlock* DebugInfo::block(llvm::DIScope* scope, base::SourceRange range) {
    const base::LineColumn at = position(range);
    return build.createLexicalBlock(scope, file(range.buffer), at.line, at.column);
}

llvm::DILocation* DebugInfo::location(base::SourceRange range, llvm::DIScope* scope) {
    const base::LineColumn at = position(range);
    return llvm::DILocation::get(module.getContext(), at.line, at.column, scope);
}

// ---------------------------------------------------------------- variables

void DebugInfo::declare(llvm::DILocalVariable* variable, llvm::Value* at, llvm::DIExpression* how,
                        llvm::DILocation* place, llvm::BasicBlock* block) {
    build.insertDeclare(at, variable, how, place, block);
}

void DebugInfo::value(llvm::DILocalVariable* variable, llvm::Value* is, llvm::DIExpression* how,
                      llvm::DILocation* place, llvm::BasicBlock* block) {
    build.insertDbgValueIntrinsic(is, variable, how, place, block);
}

llvm::DILocalVariable* DebugInfo::variable(llvm::DIScope* scope, const std::string& name,
                                           base::SourceRange range, llvm::DIType* type) {
    return build.createAutoVariable(scope, name, file(range.buffer), position(range).line, type,
                                    keepsAll());
}

llvm::DILocalVariable* DebugInfo::argument(llvm::DISubprogram* function, const std::string& name,
                                           unsigned number, base::SourceRange range,
                                           llvm::DIType* type) {
    return build.createParameterVariable(function, name, number, file(range.buffer),
                                         position(range).line, type, keepsAll());
}

void DebugInfo::memory(llvm::DISubprogram* function, const std::string& name,
                       base::SourceRange range, llvm::DIType* type, llvm::GlobalVariable* at) {
    at->addDebugInfo(build.createGlobalVariableExpression(function, name, "", file(range.buffer),
                                                          position(range).line, type, true));
}

// ---------------------------------------------------------------- types

llvm::DIType* DebugInfo::type(const Type* type) {
    llvm::DIType*& made = types[type];
    if (!made) made = makeType(type);
    return made;
}

llvm::DIType* DebugInfo::makeType(const Type* type) {
    using namespace llvm::dwarf;
    switch (type->kind) {
        case TypeKind::Boolean: return scalar("boolean", 8, DW_ATE_boolean);
        case TypeKind::Bit: return scalar("bit", 8, DW_ATE_unsigned);
        case TypeKind::Char: return scalar("char", 8, DW_ATE_unsigned_char);
        case TypeKind::Int:
        case TypeKind::Portal: return scalar("int", 32, DW_ATE_signed);
        case TypeKind::Long: return scalar("long", 64, DW_ATE_signed);
        case TypeKind::Int8: return scalar("int8", 8, DW_ATE_signed);
        case TypeKind::Half: return scalar("half", 16, DW_ATE_float);
        case TypeKind::BFloat16: return scalar("bfloat16", 16, DW_ATE_unsigned);
        case TypeKind::Float: return scalar("float", 32, DW_ATE_float);
        case TypeKind::Double: return scalar("double", 64, DW_ATE_float);
        case TypeKind::Complex: return scalar("complex", 64, DW_ATE_complex_float);
        case TypeKind::Float2: return vector("float2", 2);
        case TypeKind::Float3: return vector("float3", 3);
        case TypeKind::Float4: return vector("float4", 4);
        case TypeKind::String: return string();
        case TypeKind::Array: return makeArray(type);
        case TypeKind::Struct: return makeStruct(type);
        case TypeKind::Vector: return items(type->element, type->extent);
        case TypeKind::Tensor:
        case TypeKind::Void:
        case TypeKind::Error: break;
    }
    STRC_UNREACHABLE("a type without values");
}

llvm::DIType* DebugInfo::vector(const char* name, int parts) {
    const std::uint64_t size = bits(4 * parts);
    llvm::Metadata* extent = build.getOrCreateSubrange(0, parts);
    auto* made = build.createVectorType(size, 32, scalar("float", 32, llvm::dwarf::DW_ATE_float),
                                        build.getOrCreateArray({extent}));
    return build.createTypedef(made, name, file(mainFile), 0, unit);
}

/// strc_string, behind a pointer.
llvm::DIType* DebugInfo::string() {
    auto* text = build.createPointerType(scalar("char", 8, llvm::dwarf::DW_ATE_signed_char), 64);
    llvm::Metadata* members[] = {member(unit, "size", counter(), 0), member(unit, "text", text, 8)};
    return build.createPointerType(record("String", 16, members), 64);
}

llvm::DIType* DebugInfo::makeArray(const Type* type) {
    std::vector<llvm::Metadata*> extents;
    const Type* element = type;
    for (; element->is(TypeKind::Array); element = element->element)
        extents.push_back(build.getOrCreateSubrange(0, element->extent));
    if (element->is(TypeKind::Vector)) {
        extents.push_back(build.getOrCreateSubrange(0, element->extent));
        element = element->element;
    }
    return build.createArrayType(bits(types::sizeOf(type)), 0, this->type(element),
                                 build.getOrCreateArray(extents));
}

llvm::DIType* DebugInfo::makeStruct(const Type* type) {
    const types::StructInfo& info = *type->structure;
    std::vector<llvm::Metadata*> members;
    for (const types::StructField& field : info.fields)
        members.push_back(member(unit, field.name.str(), this->type(field.type), field.offset));
    return record(info.name.str(), info.size, members);
}

llvm::DIType* DebugInfo::items(const Type* item, std::int64_t count) {
    llvm::Metadata* extent = build.getOrCreateSubrange(0, count);
    return build.createArrayType(bits(types::sizeOf(item) * count), 0, type(item),
                                 build.getOrCreateArray({extent}));
}

// ---------------------------------------------------------------- the graph

llvm::DIType* DebugInfo::instance() {
    if (instances) return instances;
    const graph::Graph& graph = plan.program->graph;
    const std::vector<std::string> paths = graph::allPaths(graph).nodes;
    std::vector<llvm::Metadata*> names;
    for (graph::NodeId id = 0; id < graph.nodes.size(); ++id)
        if (graph.nodes[id].kind == graph::NodeKind::Filter)
            names.push_back(build.createEnumerator(paths[id], id, true));
    return instances = build.createEnumerationType(
               unit, "strc_instance", file(mainFile), 0, 32, 32, build.getOrCreateArray(names),
               scalar("unsigned", 32, llvm::dwarf::DW_ATE_unsigned));
}

llvm::DIType* DebugInfo::state() {
    if (stateType) return stateType;
    const graph::Graph& graph = plan.program->graph;
    const std::vector<std::string> paths = graph::allPaths(graph).nodes;
    std::vector<llvm::Metadata*> members;
    for (graph::NodeId id = 0; id < graph.nodes.size(); ++id) {
        if (plan.fields[id] < 0) continue;
        const elab::Kernel& kernel = plan.program->kernels[graph.nodes[id].kernel];
        members.push_back(member(unit, paths[id], fieldsOf(kernel), plan.fields[id]));
    }
    for (const plan::Channel& channel : plan.channels) {
        if (channel.capacity == 0) continue;  // a queue of the runtime
        const graph::Edge& edge = graph.edges[channel.edge];
        const std::string name = (edge.from == graph::kNone ? "input" : paths[edge.from]) + " -> " +
                                 (edge.to == graph::kNone ? "output" : paths[edge.to]);
        members.push_back(member(unit, name, this->channel(channel), channel.offset));
        if (plan.tapes == plan::Tapes::Ring)
            members.push_back(member(unit, "ring of " + name, ring(), plan.ringOf(channel.edge)));
    }
    return stateType = record("strc_state", plan.stateSize, members);
}

llvm::DIType* DebugInfo::fieldsOf(const elab::Kernel& kernel) {
    llvm::DIType*& made = kernels[&kernel];
    if (made) return made;
    std::vector<llvm::Metadata*> members;
    for (std::size_t k = 0; k < kernel.fieldTypes.size(); ++k) {
        const std::string& name = kernel.code.fields[k].name;
        if (name.empty() || !types::isConcrete(kernel.fieldTypes[k])) continue;
        members.push_back(member(unit, name, type(kernel.fieldTypes[k]), kernel.fieldOffsets[k]));
    }
    return made = record("fields of " + kernel.code.name, kernel.stateSize, members);
}

/// All that its memory holds, and the part of it that stays between steady states.
llvm::DIType* DebugInfo::channel(const plan::Channel& channel) {
    const Type* item = plan.program->graph.edges[channel.edge].type;
    const bool isRing = plan.tapes == plan::Tapes::Ring;
    llvm::Metadata* members[] = {
        member(unit, "items", items(item, channel.capacity), 0),
        member(unit, "staying", items(item, isRing ? 0 : channel.retained), 0)};
    return record("channel", channel.capacity * channel.itemSize, members);
}

/// How much of a channel was read and written so far.
llvm::DIType* DebugInfo::ring() {
    if (ringType) return ringType;
    llvm::DIType* number = scalar("long", 64, llvm::dwarf::DW_ATE_signed);
    llvm::Metadata* members[] = {member(unit, "read", number, plan::kRingRead),
                                 member(unit, "written", number, plan::kRingWritten)};
    return ringType = record("ring", plan::kRingSize, members);
}

llvm::DIType* DebugInfo::member(llvm::DIScope* scope, const std::string& name, llvm::DIType* type,
                                std::int64_t bytes) {
    return build.createMemberType(scope, name, file(mainFile), 0, type->getSizeInBits(), 0,
                                  bits(bytes), llvm::DINode::FlagZero, type);
}

llvm::DIType* DebugInfo::record(const std::string& name, std::int64_t bytes,
                                llvm::ArrayRef<llvm::Metadata*> members) {
    return build.createStructType(unit, name, file(mainFile), 0, bits(bytes), 0,
                                  llvm::DINode::FlagZero, nullptr, build.getOrCreateArray(members));
}

}  // namespace strc::codegen
