#pragma once
/// Streams of tensors in files: NumPy arrays, safetensors, pictures, and text as NumPy shows it. A file has one
/// tensor, or several along a dimension more that stands in front. Several files of one stream take turns.

#include "io/items.h"
#include "types/builtin_streams.h"
#include "types/type.h"

namespace strc::io {

/// What comes along a channel: concrete tensors, one after the other, over and over again.
struct TensorItems {
    std::vector<const types::Type*> types;
    const types::Type* memory = nullptr;  ///< of each of them
};

struct TensorFile {
    std::string name;  ///< of a safetensors file perhaps "FILE.safetensors:TENSOR"
    Format format = Format::Npy;
};

/// What stands in front of the colon of "FILE.safetensors:TENSOR".
std::string_view pathOf(std::string_view name);

/// Of the file of a reading or writing filter.
Format formatOf(types::BuiltinStream, std::string_view file);

/// Can its files say what they have? Those of other formats hold numbers alone.
bool knowsTensors(Format);

/// What a file has, of which a stream declares `wanted`: one tensor, or all of a safetensors file without the name of one. A
/// format that knows nothing of tensors is a failure.
base::Result<std::vector<const types::Type*>> typesIn(const TensorFile&, const types::Type* wanted,
                                                      types::TypeTable&);
/// A file has one item, perhaps without a dimension of one in front, or several of them along a dimension more:
/// the item, as `declared` says it. Null: neither.
const types::Type* itemIn(const types::Type* whole, const types::Type* declared, types::TypeTable&);
/// "tensor<float>[2, 3], tensor<long>[4]"
std::string allOf(const std::vector<const types::Type*>&);
/// Formats that know nothing of tensors see the array that an item lies in: is it one of numbers?
bool holdsNumbers(Format, const TensorItems&);

/// Item k comes from file k modulo their number. Formats that know nothing of tensors have one file, with numbers. `owner`:
/// what messages call who reads.
base::Result<std::unique_ptr<ItemReader>> openTensorReader(const std::vector<TensorFile>&,
                                                           const TensorItems&,
                                                           const std::string& owner,
                                                           std::function<void()> beforeWaiting);
/// Without types the files are opened when the first items come (ItemWriter::expect), and take such items alone; text takes
/// all.
base::Result<std::unique_ptr<ItemWriter>> openTensorWriter(const std::vector<TensorFile>&,
                                                           const TensorItems&,
                                                           const StreamInfo& info = {});

}  // namespace strc::io
