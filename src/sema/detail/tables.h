#pragma once
/// What a Program keeps for itself: side tables, names, and what each declaration depends on.

#include <unordered_set>

#include "sema/program.h"

namespace strc::sema {

/// The names of one stream's members.
struct StreamNames {
    std::unordered_map<Name, Symbol*> params;
    std::unordered_map<Name, Symbol*> captured;
    std::unordered_map<Name, Symbol*> fields;
    std::unordered_map<Name, FunctionInfo*> functions;
    std::vector<StreamInfo*> creates;  ///< the streams that its body creates, in order, repeated
};

/// A `helper` or `native` package.
struct Package {
    Name name;
    SourceRange range;
    std::unordered_map<Name, FunctionInfo*> functions;
    std::vector<FunctionInfo*> order;
};

/// The flat namespace of top-level declarations: one of the program, one of the library.
struct TopNames {
    std::unordered_map<Name, StreamInfo*> streams;
    std::unordered_map<Name, const Type*> structs;
    std::unordered_map<Name, Symbol*> globals;
    std::unordered_map<Name, Package*> packages;
};

/// A top-level declaration and the top-level names it mentions, whether they mean something or not.
/// A static block has one for each of its members.
struct DeclRecord {
    const ast::Decl* decl = nullptr;
    bool isLibrary = false;
    bool removed = false;  ///< replaced by a later declaration
    StreamInfo* stream = nullptr;  ///< StreamDecl that counts (not a duplicate)
    const Type* structure = nullptr;  ///< StructDecl that counts
    Package* package = nullptr;
    std::vector<Symbol*> globals;  ///< FieldsDecl of a static block
    std::uint32_t globalLimit = kNone;  ///< static: globals declared up to here
    std::vector<Name> declares;
    std::unordered_set<Name> signature;  ///< mentioned where others depend on it
    std::unordered_set<Name> mentions;  ///< mentioned anywhere else
};

struct Program::Tables {
    std::vector<const Type*> types;  ///< of Expr and TypeExpr
    std::vector<const Symbol*> symbols;  ///< of NameRef, Declarator, Parameter
    std::unordered_map<std::uint32_t, CallTarget> calls;
    std::unordered_map<std::uint32_t, CreateTarget> creates;
    std::unordered_map<std::uint32_t, const FunctionInfo*> messages;
    std::unordered_map<std::uint32_t, const Symbol*> messagePortals;
    std::unordered_map<std::uint32_t, std::vector<const Symbol*>> createPortals;
    std::unordered_map<std::uint32_t, StreamInfo*> streamOf;

    std::deque<StreamNames> names;  ///< parallel to Program::streams
    std::deque<Package> packages;
    TopNames own, ofLibrary;
    std::unordered_set<Name> redefined;  ///< builtin streams that the program wrongly declares
    std::deque<DeclRecord> decls;

    // Places of what `update` replaced, to be used again.
    std::vector<StreamInfo*> freeStreams;
    std::unordered_map<Name, std::uint32_t> freeGlobals;
};

}  // namespace strc::sema
