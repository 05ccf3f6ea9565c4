#pragma once
/// Streams of tensors in files: NumPy arrays, and text as NumPy shows it. A file has one tensor, or several
/// along a dimension more that stands in front. Several files of one stream take turns.

#include "io/items.h"
#include "types/type.h"

namespace strc::io {

/// What comes along a channel: concrete tensors, one after the other, over and over again.
struct TensorItems {
    std::vector<const types::Type*> types;
    const types::Type* memory = nullptr;  ///< of each of them
};

struct TensorFile {
    std::string name;
    Format format = Format::Npy;  ///< Npy or Csv
};

/// What a .npy file has: a tensor.
base::Result<const types::Type*> typeOfNpy(const std::string& name, types::TypeTable&);

/// Item k comes from file k modulo their number.
base::Result<std::unique_ptr<ItemReader>> openTensorReader(const std::vector<TensorFile>&,
                                                           const TensorItems&,
                                                           std::function<void()> beforeWaiting);
base::Result<std::unique_ptr<ItemWriter>> openTensorWriter(const std::vector<TensorFile>&,
                                                           const TensorItems&);

}  // namespace strc::io
