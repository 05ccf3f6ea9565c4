#pragma once
/// `--split`: parts of products by hand.

#include <string>

#include "graph/picture.h"
#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// A word if it was asked for, and nothing of the program is split.
void checkSplit(Compilation&, const Settings&);

/// As --split has it.
std::string splitName(const types::TensorSplit&);

/// What so many ranks share of which product, what crosses, and how fast that should be. Its summary says this of all.
graph::SharedProducts sharedProducts(const Compilation&, const Settings&);

/// That as a text.
std::string print(const graph::SharedProducts&, const Compilation&, const Settings&);

}  // namespace strc::session
