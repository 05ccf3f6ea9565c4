#pragma once
/// What the bodies of a stream do to its state and to what they get by reference. Calls are noted
/// while bodies are checked; what follows from them is found out once all are known.

#include "sema/detail/checker.h"

namespace strc::sema {

struct BodyEffects {
    bool changesState = false;
    SourceRange sends;                                          ///< a message, if any
    std::vector<std::pair<FunctionInfo*, SourceRange>> calls;
};
/// An array passed to a function: a change of `param` is a change of `root`.
struct Reference {
    Symbol* root;
    Symbol* param;
    SourceRange range;
    CodeKind place;
    const FunctionInfo* function;  ///< in whose body; or null
};
struct Effects {
    BodyEffects init, steady;  ///< field initialisers and init; work and prework
    std::unordered_map<const FunctionInfo*, BodyEffects> functions;
    std::vector<Reference> references;
};

void noteChange(Checker&, Symbol&);
void noteCall(Checker&, FunctionInfo&, SourceRange);
void noteSend(Checker&, SourceRange);
void noteReference(Checker&, Symbol& root, const FunctionInfo&, std::size_t param, SourceRange);

/// Follows references: marks what may be changed, reports constants that would be.
void followReferences(Checker&, Effects&);
/// Messages that `init` would send; `stateful` that is missing or needless.
void checkStreamEffects(Checker&, const StreamInfo&, Effects&);

}  // namespace strc::sema
