#pragma once
/// What arrives at a main stream of tensors. Private to session.

#include <string>
#include <vector>

#include "elab/elaborate.h"

namespace strc::session {

/// `said`: shapes and types as --input has them, "1x3x224x224", "2x7:long", "3x_x_". If there are none, what the
/// files have, of which the program declares `declared` (null: nothing); they also fill in what `said` leaves open. False
/// after reporting.
bool findInputs(base::Context&, const std::vector<std::string>& said,
                const std::vector<std::string>& files, const types::Type* declared,
                types::TypeTable&, std::vector<elab::GivenInput>& found);

/// Looks at the header of a WAV file. Of no file (an empty name), and of one that cannot be looked at now, it says why nothing
/// is known.
elab::GivenSound findSound(const std::string& file);

}  // namespace strc::session
