#include "io/detail/library_item.h"

#include <utility>

#include "types/tensor_text.h"

namespace strc::io {

LibraryItem::LibraryItem(const types::Type* type)
    : number(rows.add(type)), name(types::toString(type)) {}

LibraryItem::LibraryItem(const types::Type* type, const std::vector<TurnFile>& given)
    : LibraryItem(type) {
    for (const TurnFile& file : given) {
        fileNames.push_back(file.name);
        turns.push_back(file.items);
    }
    for (const std::string& file : fileNames) files.push_back(file.c_str());
}

LibraryItem::LibraryItem(const TensorItems& items, const std::vector<TensorFile>& given,
                         std::string owner)
    : number(rows.add(items.memory)),
      name(allOf(items.types)),
      owner(std::move(owner)),
      tensors(static_cast<std::uint32_t>(items.types.size())),
      holdsRaw(holdsNumbers(Format::Raw, items)),
      holdsOthers(holdsNumbers(Format::Wav, items)) {
    for (const types::Type* tensor : items.types) {
        const std::vector<std::int64_t> words = types::shapeOf(tensor);
        shapes.insert(shapes.end(), words.begin(), words.end());
        shapes.push_back(types::offsetIn(items.memory, tensor));
    }
    for (const TensorFile& file : given) fileNames.push_back(file.name);
    for (const std::string& file : fileNames) files.push_back(file.c_str());
}

strc_item LibraryItem::get() const {
    strc_item item{};
    item.types = rows.rows().data();
    item.type = item.types + number;
    item.fields = rows.fields().data();
    item.name = name.c_str();
    item.owner = owner.c_str();
    item.tensors = tensors;
    item.shapes = shapes.data();
    item.holds_raw = holdsRaw ? 1 : 0;
    item.holds_numbers = holdsOthers ? 1 : 0;
    item.files = files.empty() ? nullptr : files.data();
    item.file_count = static_cast<std::uint32_t>(files.size());
    item.turns = turns.empty() ? nullptr : turns.data();
    return item;
}

}  // namespace strc::io
