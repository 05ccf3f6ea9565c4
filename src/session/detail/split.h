#pragma once
/// `--split`: parts of products by hand.

#include <string>

#include "graph/picture.h"
#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// Why nothing of a program is divided that passes leave as it is (elab::mayReplace).
constexpr const char* kKeptWhole =
    "it has dynamic rates, messages, or several filters that print or draw random numbers, and one "
    "could see in which order filters fire";

/// A word if it was asked for, and nothing of the program is split.
void checkSplit(Compilation&, const Settings&);

/// As --split has it.
std::string splitName(const types::TensorSplit&);

/// What so many ranks share of which product, what crosses, and how fast that should be. Its summary says this of all.
graph::SharedProducts sharedProducts(const Compilation&, const Settings&);

/// That as a text.
std::string print(const graph::SharedProducts&, const Compilation&, const Settings&);

}  // namespace strc::session
