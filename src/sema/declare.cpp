#include "sema/detail/declare.h"

#include <algorithm>

#include "sema/detail/effects.h"
#include "sema/detail/statements.h"
#include "sema/detail/streams.h"
#include "sema/detail/types.h"

namespace strc::sema {
namespace {

StreamInfo& makeStream(Checker& c, Name name, const ast::StreamDecl* decl, bool library) {
    StreamInfo& info = newStream(c);
    info.name = name;
    info.decl = decl;
    info.isLibrary = library;
    if (decl) c.tables.streamOf[decl->id.index] = &info;
    return info;
}

DeclRecord& makeRecord(Checker& c, const ast::Decl& decl, bool library) {
    DeclRecord& record = c.tables.decls.emplace_back();
    record.decl = &decl;
    record.isLibrary = library;
    return record;
}

TopNames& topNames(Checker& c, bool library) { return library ? c.tables.ofLibrary : c.tables.own; }

/// Streams and structs share their names. False after a report.
bool isFree(Checker& c, const TopNames& top, Diag duplicate, ast::Ident name) {
    SourceRange before;
    if (auto stream = top.streams.find(name.name); stream != top.streams.end()) {
        Builtin builtin = stream->second->builtin;
        if (builtin != Builtin::None && !types::info(builtin).reserved) return true;
        if (builtin != Builtin::None) {
            c.error(Diag::BuiltinStreamRedefined, name.range) << name.name;
            c.tables.redefined.insert(name.name);
            return false;
        }
        before = stream->second->decl->name.range;
    } else if (auto type = top.structs.find(name.name); type != top.structs.end()) {
        before = type->second->structure->range;
    } else {
        return true;
    }
    Diagnostic& diag = c.error(duplicate, name.range) << name.name;
    diag.note(Diag::DeclaredHere, before) << name.name;
    return false;
}

void enterStream(Checker& c, const ast::StreamDecl& decl, bool library) {
    DeclRecord& record = makeRecord(c, decl, library);
    record.declares.push_back(decl.name.name);
    record.stream = &makeStream(c, decl.name.name, &decl, library);
    TopNames& top = topNames(c, library);
    if (decl.name.name && isFree(c, top, Diag::DuplicateStream, decl.name))
        top.streams.emplace(decl.name.name, record.stream);
}

void enterStruct(Checker& c, const ast::StructDecl& decl, bool library) {
    DeclRecord& record = makeRecord(c, decl, library);
    record.declares.push_back(decl.name.name);
    record.structure = c.types.structure(decl.name.name, decl.name.range);
    c.program.structDecls[record.structure->structure] = &decl;
    TopNames& top = topNames(c, library);
    if (decl.name.name && isFree(c, top, Diag::DuplicateStruct, decl.name))
        top.structs.emplace(decl.name.name, record.structure);
}

/// Where the global of that name stood that it replaces, or behind all others.
void placeGlobal(Checker& c, Symbol& symbol) {
    auto free = c.tables.freeGlobals.find(symbol.name);
    if (free != c.tables.freeGlobals.end()) {
        symbol.index = free->second;
        c.program.globals[symbol.index] = &symbol;
        c.tables.freeGlobals.erase(free);
        return;
    }
    symbol.index = static_cast<std::uint32_t>(c.program.globals.size());
    c.program.globals.push_back(&symbol);
}

void enterGlobals(Checker& c, const ast::FieldsDecl& decl, bool library) {
    DeclRecord& record = makeRecord(c, decl, library);
    TopNames& top = topNames(c, library);
    for (const ast::Declarator& each : decl.variables->variables) {
        Symbol* symbol = c.makeSymbol(SymbolKind::Global, each.name, c.types.error());
        symbol->typeExpr = decl.variables->type;
        symbol->initialiser = each.initialiser;
        placeGlobal(c, *symbol);
        c.setSymbol(each.id, symbol);
        record.globals.push_back(symbol);
        record.declares.push_back(each.name.name);
        auto [first, isNew] = top.globals.emplace(each.name.name, symbol);
        if (isNew) continue;
        Diagnostic& diag = c.error(Diag::DuplicateGlobal, each.name.range) << each.name.name;
        diag.note(Diag::DeclaredHere, first->second->range) << each.name.name;
    }
    record.globalLimit = static_cast<std::uint32_t>(c.program.globals.size());
}

void enterStatic(Checker& c, const ast::StaticDecl& decl, bool library) {
    for (const ast::Decl* member : decl.members) {
        if (auto* fields = ast::tryAs<ast::FieldsDecl>(member)) {
            enterGlobals(c, *fields, library);
        } else if (member->kind == ast::DeclKind::Init) {
            DeclRecord& record = makeRecord(c, *member, library);
            record.globalLimit = static_cast<std::uint32_t>(c.program.globals.size());
        }
    }
}

void enterPackage(Checker& c, const ast::Decl& decl, ast::Ident name,
                  std::span<const ast::FunctionDecl* const> functions, FunctionKind kind,
                  bool library) {
    DeclRecord& record = makeRecord(c, decl, library);
    record.declares.push_back(name.name);
    Package& package = c.tables.packages.emplace_back();
    package.name = name.name;
    package.range = name.range;
    record.package = &package;
    auto [first, isNew] = topNames(c, library).packages.emplace(name.name, &package);
    if (!isNew) {
        Diagnostic& diag = c.error(Diag::DuplicatePackage, name.range) << name.name;
        diag.note(Diag::DeclaredHere, first->second->range) << name.name;
    }
    for (const ast::FunctionDecl* function : functions) {
        FunctionInfo& info = c.program.functions.emplace_back();
        info.kind = kind;
        info.name = function->name.name;
        info.package = name.name;
        info.decl = function;
        info.result = c.types.error();
        package.order.push_back(&info);
        auto [before, isFirst] = package.functions.emplace(info.name, &info);
        if (isFirst) continue;
        Diagnostic& diag = c.error(Diag::DuplicatePackageFunction, function->name.range)
                           << name.name << info.name;
        diag.note(Diag::DeclaredHere, ast::as<ast::FunctionDecl>(*before->second->decl).name.range)
            << info.name;
    }
}

// ---------------------------------------------------------------- checking, in phases

/// Makes a record the one at hand, for a C++ scope.
class AtHand {
public:
    AtHand(Checker& checker, DeclRecord& record, bool signature) : c(checker) {
        c.record = &record;
        c.isLibrary = record.isLibrary;
        c.inSignature = signature;
    }
    ~AtHand() {
        c.record = nullptr;
        c.isLibrary = c.inSignature = false;
    }
    AtHand(const AtHand&) = delete;
    AtHand& operator=(const AtHand&) = delete;

private:
    Checker& c;
};

Body staticBody(const Checker& c, std::uint32_t limit) {
    Body body;
    body.place = CodeKind::Static;
    body.globalLimit = limit;
    body.result = c.types.voidType();
    return body;
}

void declareGlobals(Checker& c, DeclRecord& record) {
    Body body = staticBody(c, record.globals[0]->index);
    Enter enter(c, body);
    const bool isInitialised =
        std::all_of(record.globals.begin(), record.globals.end(),
                    [](const Symbol* symbol) { return symbol->initialiser != nullptr; });
    const Type* type = checkType(c, *record.globals[0]->typeExpr, TypeUse::Global,
                                 record.globals[0]->name, isInitialised);
    for (Symbol* symbol : record.globals) symbol->type = type;
}

/// Types of globals may use those that stand before them.
std::vector<DeclRecord*> globalsInOrder(std::span<DeclRecord* const> records) {
    std::vector<DeclRecord*> found;
    for (DeclRecord* record : records)
        if (!record->globals.empty()) found.push_back(record);
    auto before = [](const DeclRecord* a, const DeclRecord* b) {
        return a->globals[0]->index < b->globals[0]->index;
    };
    std::sort(found.begin(), found.end(), before);
    return found;
}

void checkStaticItem(Checker& c, DeclRecord& record) {
    for (Symbol* symbol : record.globals) {
        if (!symbol->initialiser) continue;
        Body body = staticBody(c, symbol->index);
        Enter enter(c, body);
        checkInitialiser(c, *symbol, *symbol->initialiser);
    }
    if (record.decl->kind != ast::DeclKind::Init) return;
    Body body = staticBody(c, record.globalLimit);
    Enter enter(c, body);
    checkBlock(c, *ast::as<ast::InitDecl>(*record.decl).body);
}

void declarePackage(Checker& c, Package& package) {
    for (FunctionInfo* function : package.order) declareFunction(c, *function, nullptr, &package);
}

void checkPackage(Checker& c, Package& package, Effects& effects) {
    for (FunctionInfo* function : package.order)
        if (function->kind == FunctionKind::Package)
            checkFunctionBody(c, *function, nullptr, &package, effects);
}

Scope scopeOf(Checker& c, StreamInfo& stream) {
    return {&stream, &c.tables.names[stream.index], nullptr};
}

}  // namespace

StreamInfo& newStream(Checker& c) {
    if (!c.tables.freeStreams.empty()) {
        StreamInfo& info = *c.tables.freeStreams.back();
        c.tables.freeStreams.pop_back();
        return info;
    }
    StreamInfo& info = c.program.streams.emplace_back();
    info.index = static_cast<std::uint32_t>(c.program.streams.size() - 1);
    c.tables.names.emplace_back();
    return info;
}

void declareBuiltins(Checker& c) {
    for (const types::BuiltinStreamInfo& row : types::builtinStreams()) {
        Name name = c.ctx.names.intern(row.name);
        StreamInfo& info = makeStream(c, name, nullptr, !row.reserved);
        info.builtin = row.id;
        if (row.reserved) c.tables.own.streams.emplace(name, &info);
        c.tables.ofLibrary.streams.emplace(name, &info);
    }
}

void declareUnit(Checker& c, const ast::Unit& unit) {
    bool library = c.ctx.sources.isLibrary(unit.buffer);
    for (const ast::Decl* decl : unit.decls) {
        if (c.damage && !c.damage->isKnown(*decl)) continue;
        switch (decl->kind) {
            case ast::DeclKind::Stream:
                enterStream(c, ast::as<ast::StreamDecl>(*decl), library);
                break;
            case ast::DeclKind::Struct:
                enterStruct(c, ast::as<ast::StructDecl>(*decl), library);
                break;
            case ast::DeclKind::Static:
                enterStatic(c, ast::as<ast::StaticDecl>(*decl), library);
                break;
            case ast::DeclKind::Native: {
                const auto& native = ast::as<ast::NativeDecl>(*decl);
                enterPackage(c, native, native.name, native.functions, FunctionKind::Native,
                             library);
                break;
            }
            case ast::DeclKind::Helper: {
                const auto& helper = ast::as<ast::HelperDecl>(*decl);
                enterPackage(c, helper, helper.name, helper.functions, FunctionKind::Package,
                             library);
                break;
            }
            default: break;
        }
    }
}

/// Bounds in structs use globals, and globals are of structs: what kind of type a global has is
/// said before its bounds are looked at.
void declareStructsAndGlobals(Checker& c, std::span<DeclRecord* const> records) {
    std::vector<DeclRecord*> structs;
    for (DeclRecord* record : records) {
        AtHand atHand(c, *record, true);
        if (record->structure) structs.push_back(record);
        for (Symbol* symbol : record->globals) symbol->type = typeShape(c, *symbol->typeExpr);
    }
    checkStructs(c, structs);
    for (DeclRecord* record : globalsInOrder(records)) {
        AtHand atHand(c, *record, true);
        declareGlobals(c, *record);
    }
}

void checkRecords(Checker& c, std::span<DeclRecord* const> records) {
    declareStructsAndGlobals(c, records);
    for (DeclRecord* record : records) {
        AtHand atHand(c, *record, true);
        if (record->package) declarePackage(c, *record->package);
        if (!record->stream) continue;
        Scope scope = scopeOf(c, *record->stream);
        declareStream(c, scope);
    }
    Effects packageEffects;
    for (DeclRecord* record : records) {
        AtHand atHand(c, *record, false);
        if (record->package) checkPackage(c, *record->package, packageEffects);
    }
    followReferences(c, packageEffects);
    for (DeclRecord* record : records) {
        AtHand atHand(c, *record, false);
        checkStaticItem(c, *record);
        if (!record->stream || c.isDamaged(record->decl)) continue;
        Scope scope = scopeOf(c, *record->stream);
        checkStream(c, scope);
    }
}

void publish(Checker& c) {
    Program& program = c.program;
    program.streamByName.clear();
    program.structByName.clear();
    for (const TopNames* top : {&c.tables.own, &c.tables.ofLibrary}) {
        for (auto& [name, stream] : top->streams)
            if (!c.tables.own.structs.contains(name)) program.streamByName.emplace(name, stream);
        for (auto& [name, type] : top->structs)
            if (!c.tables.own.streams.contains(name)) program.structByName.emplace(name, type);
    }
    program.staticItems.clear();
    program.packageFunctions.clear();
    program.natives.clear();
    for (const DeclRecord& record : c.tables.decls) {
        if (record.removed) continue;
        bool isStatic =
            record.decl->kind == ast::DeclKind::Fields || record.decl->kind == ast::DeclKind::Init;
        if (isStatic) program.staticItems.push_back(record.decl);
        if (!record.package) continue;
        for (FunctionInfo* function : record.package->order) {
            auto& list =
                function->kind == FunctionKind::Native ? program.natives : program.packageFunctions;
            function->index = static_cast<std::uint32_t>(list.size());
            list.push_back(function);
        }
    }
}

}  // namespace strc::sema
