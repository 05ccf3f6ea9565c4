#include "sema/check.h"
#include "sema/detail/declare.h"

namespace strc::sema {
namespace {

/// The names that a unit declares, by the namespaces in which they replace older ones.
struct Declared {
    std::unordered_set<Name> streams;  ///< and structs
    std::unordered_set<Name> packages;
    std::unordered_set<Name> globals;

    explicit Declared(const ast::Unit& unit) {
        for (const ast::Decl* decl : unit.decls) add(*decl);
    }
    bool mentionedIn(const std::unordered_set<Name>& names) const {
        for (const auto* set : {&streams, &packages, &globals})
            for (Name name : *set)
                if (names.contains(name)) return true;
        return false;
    }

private:
    void add(const ast::Decl& decl) {
        if (auto* stream = ast::tryAs<ast::StreamDecl>(&decl)) streams.insert(stream->name.name);
        if (auto* structure = ast::tryAs<ast::StructDecl>(&decl))
            streams.insert(structure->name.name);
        if (auto* native = ast::tryAs<ast::NativeDecl>(&decl)) packages.insert(native->name.name);
        if (auto* helper = ast::tryAs<ast::HelperDecl>(&decl)) packages.insert(helper->name.name);
        if (auto* block = ast::tryAs<ast::StaticDecl>(&decl))
            for (const ast::Decl* member : block->members)
                if (auto* fields = ast::tryAs<ast::FieldsDecl>(member))
                    for (const ast::Declarator& each : fields->variables->variables)
                        globals.insert(each.name.name);
    }
};

/// Makes a stream's place free for another one; the anonymous ones inside go with it.
void dropStream(Checker& c, StreamInfo& stream) {
    for (StreamInfo& each : c.program.streams) {
        const StreamInfo* outer = &each;
        while (outer && outer != &stream) outer = outer->enclosing;
        if (!outer || &each == &stream) continue;
        if (each.decl) c.tables.streamOf.erase(each.decl->id.index);
        c.tables.freeStreams.push_back(&each);
    }
    if (stream.decl) c.tables.streamOf.erase(stream.decl->id.index);
    c.tables.freeStreams.push_back(&stream);
    for (StreamInfo* dead : c.tables.freeStreams) {
        std::uint32_t index = dead->index;
        *dead = StreamInfo();
        dead->index = index;
        c.tables.names[index] = StreamNames();
    }
}

template <typename Map, typename T>
void forget(Map& map, Name name, const T& meaning) {
    auto found = map.find(name);
    if (found != map.end() && found->second == meaning) map.erase(found);
}

/// The globals of a record that are declared anew; true if those are all.
bool dropGlobals(Checker& c, TopNames& top, DeclRecord& record, const Declared& declared) {
    if (record.globals.empty()) return false;
    bool all = true;
    for (Symbol* symbol : record.globals) {
        if (!declared.globals.contains(symbol->name)) {
            all = false;
            continue;
        }
        forget(top.globals, symbol->name, symbol);
        c.tables.freeGlobals[symbol->name] = symbol->index;
    }
    return all;
}

/// Takes away what the unit declares anew.
void drop(Checker& c, DeclRecord& record, const Declared& declared) {
    TopNames& top = record.isLibrary ? c.tables.ofLibrary : c.tables.own;
    if (dropGlobals(c, top, record, declared)) record.removed = true;
    if (record.declares.empty()) return;
    Name name = record.declares[0];
    if (record.package && declared.packages.contains(name)) {
        forget(top.packages, name, record.package);
        record.removed = true;
    }
    if (!record.stream && !record.structure) return;
    if (!declared.streams.contains(name)) return;
    record.removed = true;
    if (record.structure) {
        forget(top.structs, name, record.structure);
        c.program.structDecls.erase(record.structure->structure);
        return;
    }
    forget(top.streams, name, record.stream);
    dropStream(c, *record.stream);
    record.stream = nullptr;
}

/// What depends on the declared names, directly or through interfaces.
std::vector<DeclRecord*> dependents(Checker& c, Declared declared, std::size_t before) {
    std::vector<DeclRecord*> found;
    std::vector<char> isTaken(before, 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < before; ++i) {
            DeclRecord& record = c.tables.decls[i];
            if (record.removed || record.isLibrary || isTaken[i]) continue;
            bool inSignature = declared.mentionedIn(record.signature);
            if (!inSignature && !declared.mentionedIn(record.mentions)) continue;
            isTaken[i] = 1;
            if (!inSignature) continue;
            // A struct that cannot be told from its former self is another type all the same.
            auto& names = record.package           ? declared.packages
                          : record.globals.empty() ? declared.streams
                                                   : declared.globals;
            for (Name name : record.declares) changed |= names.insert(name).second;
        }
    }
    for (std::size_t i = 0; i < before; ++i)
        if (isTaken[i]) found.push_back(&c.tables.decls[i]);
    return found;
}

/// As it was before anything of it was checked.
void reset(Checker& c, DeclRecord& record) {
    record.signature.clear();
    record.mentions.clear();
    if (record.stream) {
        StreamInfo& stream = *record.stream;
        StreamInfo fresh;
        fresh.decl = stream.decl;
        fresh.name = stream.name;
        fresh.index = stream.index;
        fresh.isLibrary = stream.isLibrary;
        stream = fresh;
        c.tables.names[stream.index] = StreamNames();
    }
    if (record.package)
        for (FunctionInfo* function : record.package->order) {
            function->params.clear();
            function->result = c.types.error();
        }
    if (record.structure) {
        const types::StructInfo* old = record.structure->structure;
        TopNames& top = record.isLibrary ? c.tables.ofLibrary : c.tables.own;
        auto meaning = top.structs.find(old->name);
        bool isMeant = meaning != top.structs.end() && meaning->second == record.structure;
        const ast::StructDecl* decl = c.program.structDecls.at(old);
        c.program.structDecls.erase(old);
        record.structure = c.types.structure(decl->name.name, decl->name.range);
        c.program.structDecls[record.structure->structure] = decl;
        if (isMeant) meaning->second = record.structure;
    }
}

/// The new records; one of globals takes the place of that which it replaces, among the static
/// items that run in order.
std::vector<DeclRecord*> settle(Checker& c, std::size_t before) {
    std::unordered_map<Name, DeclRecord*> replaced;
    for (std::size_t i = 0; i < before; ++i) {
        DeclRecord& record = c.tables.decls[i];
        if (record.removed && !record.globals.empty()) replaced[record.declares[0]] = &record;
    }
    std::vector<DeclRecord*> fresh;
    for (std::size_t i = before; i < c.tables.decls.size(); ++i) {
        DeclRecord* record = &c.tables.decls[i];
        auto old = record->globals.empty() ? replaced.end() : replaced.find(record->declares[0]);
        if (old != replaced.end() && old->second->removed) {
            std::swap(*old->second, *record);
            record = old->second;
        }
        fresh.push_back(record);
    }
    return fresh;
}

}  // namespace

void update(base::Context& ctx, Program& program, const ast::Unit& unit) {
    Program::Tables& tables = *program.tables;
    tables.types.resize(ctx.nextNodeId);
    tables.symbols.resize(ctx.nextNodeId);
    program.units.push_back(&unit);
    Checker checker{ctx, program, tables, *program.types};
    Declared declared(unit);
    bool library = ctx.sources.isLibrary(unit.buffer);
    std::size_t before = tables.decls.size();
    for (DeclRecord& record : tables.decls)
        if (!record.removed && record.isLibrary == library) drop(checker, record, declared);
    declareUnit(checker, unit);
    std::vector<DeclRecord*> records = dependents(checker, declared, before);
    for (DeclRecord* record : records) reset(checker, *record);
    std::vector<DeclRecord*> fresh = settle(checker, before);
    records.insert(records.end(), fresh.begin(), fresh.end());
    checkRecords(checker, records);
    publish(checker);
}

}  // namespace strc::sema
