#pragma once
/// The state that the parts of the checker share: where in which declaration checking stands, and
/// which names are visible there.

#include <span>

#include "base/context.h"
#include "sema/detail/constants.h"
#include "sema/detail/damage.h"
#include "sema/detail/tables.h"

namespace strc::sema {

using base::Diag;
using base::Diagnostic;

/// What kind of code is being checked.
enum class CodeKind : std::uint8_t {
    Static,
    Package,
    Struct,
    StreamType,
    Default,
    FieldType,
    FieldInit,
    Rate,
    FunctionType,
    Init,
    Work,
    Prework,
    Function,
    Handler,
    Composite,
};

/// A stream whose members are visible. `outer`: the body around an anonymous stream, for capture.
struct Body;
struct Effects;
struct Scope {
    StreamInfo* stream = nullptr;
    StreamNames* names = nullptr;
    Body* outer = nullptr;
};

/// An expression that has to be known when the stream is elaborated.
enum class Needs : std::uint8_t { Nothing, Bound, Rate };

struct Local {
    Symbol* symbol = nullptr;
    std::size_t depth = 0;
};
/// One level of a body's nesting.
struct Frame {
    std::size_t undo = 0;                                 ///< Body::undo had this size before
    std::span<const ast::Stmt* const> statements;         ///< of the block
    std::unordered_map<Name, SourceRange> declaredLater;  ///< filled when first asked for
    bool isIndexed = false;
};
/// Which parts a composite has.
struct Parts {
    ast::StreamKind kind = ast::StreamKind::Pipeline;
    unsigned splits = 0, joins = 0, bodies = 0, loops = 0, adds = 0;
    const ast::Stmt* always[4] = {};  ///< split, join, body, loop that every execution meets
    std::vector<std::pair<const ast::Stmt*, int>> repeated;
    bool hasReturn = false;
    bool hasError = false;
};

/// One piece of code with its local variables.
struct Body {
    CodeKind place = CodeKind::Static;
    Scope* scope = nullptr;             ///< none in static, packages, structs
    FunctionInfo* function = nullptr;   ///< Function, Handler, Package
    Package* package = nullptr;         ///< Package: whose functions are visible
    const Type* result = nullptr;       ///< of a Function or Package function; else void
    const ast::WorkDecl* work = nullptr;  ///< Work, Prework
    bool hasRates = false;              ///< work, prework, I/O function
    bool voidRateReported = false;      ///< a rate for a side that is void
    bool pushes = false, pops = false, peeks = false;  ///< rates declared
    bool anyError = false;              ///< holds text that was not the language
    bool hasUnknown = false;            ///< a variable in it may go by another name
    Parts* parts = nullptr;             ///< Composite
    Effects* effects = nullptr;         ///< where calls and changes are noted
    unsigned loopDepth = 0;
    unsigned conditionDepth = 0;        ///< inside of `if` and loops
    std::uint32_t fieldLimit = kNone;   ///< later ones are not declared yet
    std::uint32_t paramLimit = kNone;
    std::uint32_t globalLimit = kNone;

    Needs needs = Needs::Nothing;
    bool needsReported = false;
    const char* rateName = "";

    std::unordered_map<Name, Local> locals;
    std::vector<std::pair<Name, Local>> undo;
    std::vector<Frame> frames;
    std::unordered_set<std::uint32_t> alwaysTrue;  ///< conditions, by node id
};

struct Checker {
    base::Context& ctx;
    Program& program;
    Program::Tables& tables;
    types::TypeTable& types;
    DeclRecord* record = nullptr;  ///< the top-level declaration at hand
    bool isLibrary = false;          ///< it is one of the library's
    bool inSignature = false;
    const Damage* damage = nullptr;  ///< null: all texts were understood
    Body* body = nullptr;
    unsigned suggestions = 0;      ///< made so far: they cost time
    std::span<const std::string_view> others = {};  ///< streams that a library would bring
    Diagnostic scratch = {};       ///< takes the warnings nobody wants

    Diagnostic& error(Diag id, SourceRange range);
    /// Library code is not warned about.
    Diagnostic& warn(Diag id, SourceRange range);
    /// True while the number of suggestions is small: they look at every name.
    bool maySuggest();
    void suggest(Diagnostic&, SourceRange where, std::string_view name);

    const Type* setType(ast::NodeId id, const Type* type) { return tables.types[id.index] = type; }
    void setSymbol(ast::NodeId id, const Symbol* symbol) { tables.symbols[id.index] = symbol; }
    Symbol* makeSymbol(SymbolKind, ast::Ident name, const Type*);
    /// What is inside of the declaration is not to be looked at.
    bool isDamaged(const ast::Decl* decl) const { return damage && damage->has(decl); }
    /// A name of the program may be hidden in what was not understood: a library's may not stand in.
    bool mayBeLost(Name name) const { return damage && damage->mayDeclare(name.text()); }
    void mention(Name name) { (inSignature ? record->signature : record->mentions).insert(name); }
};

/// Sets the body at hand for a scope's lifetime.
class Enter {
public:
    Enter(Checker& checker, Body& body) : c(checker), before(checker.body) { c.body = &body; }
    ~Enter() { c.body = before; }
    Enter(const Enter&) = delete;
    Enter& operator=(const Enter&) = delete;

private:
    Checker& c;
    Body* before;
};

/// "'init'", "a handler", "a pipeline": where the code at hand stands.
std::string describe(const Body&);
/// "filter", "pipeline"; with its name: "filter 'F'".
std::string_view kindName(ast::StreamKind);
std::string describe(const StreamInfo&);
/// What messages call a stream without a name.
std::string displayName(const StreamInfo&);

}  // namespace strc::sema
