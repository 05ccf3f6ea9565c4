#pragma once
/// The pass `frequency`: long FIR filters as products of spectra, many firings at once (Lamb, Thies, Amarasinghe
/// 2003, section 4.1; overlap-save: Oppenheim, Schafer, "Discrete-Time Signal Processing", section 8.7).

#include "elab/elaborate.h"
#include "linear/detail/form.h"

namespace strc::linear {

/// A filter of floats that takes and gives one item a firing, and has many terms.
bool paysInFrequency(const Form&);

/// The filter's code by transforms. Its sums differ from those of the form by rounding, relative to the largest item of a block.
elab::Blocks inFrequency(const Form&, base::SourceRange, types::TypeTable&);

}  // namespace strc::linear
