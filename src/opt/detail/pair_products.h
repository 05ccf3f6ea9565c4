#pragma once
/// `--split pairs:PLACES`: where processes share products, a column split that is followed by a row split needs no exchange between the
/// two (Shoeybi et al., "Megatron-LM", arXiv:1909.08053, section 3): whoever has computed columns of the first result sums them up in
/// the second. Between the products stands what goes place by place alone, and nobody else reads the first result.

#include <cstdint>

#include "elab/elaborate.h"

namespace strc::opt {

/// Parts of so many places: of the columns of the first product of each pair, which stay apart, and of what the second one sums up; of
/// all other large products parts of their columns. In: bodies in which products are sums of products, without parts. True: there are some.
bool pairProducts(elab::Elaboration&, std::int64_t places, types::TypeTable&);

}  // namespace strc::opt
