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
    Format format = Format::Npy;
};

/// What a .npy file has: a tensor.
base::Result<const types::Type*> typeOfNpy(const std::string& name, types::TypeTable&);

/// "tensor<float>[2, 3], tensor<long>[4]"
std::string allOf(const std::vector<const types::Type*>&);
/// Formats that know nothing of tensors see the array that an item lies in: is it one of numbers?
bool holdsNumbers(Format, const TensorItems&);

/// Item k comes from file k modulo their number. Other formats than Npy have one file, with numbers. `owner`:
/// what messages call who reads.
base::Result<std::unique_ptr<ItemReader>> openTensorReader(const std::vector<TensorFile>&,
                                                           const TensorItems&,
                                                           const std::string& owner,
                                                           std::function<void()> beforeWaiting);
base::Result<std::unique_ptr<ItemWriter>> openTensorWriter(const std::vector<TensorFile>&,
                                                           const TensorItems&,
                                                           const StreamInfo& info = {});

}  // namespace strc::io
