// Weights that lie in memory of the caller.

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/spelling.h"
#include "weights/weights.h"

namespace strc::weights {
namespace {

using base::Diag;

constexpr const char* kName = "<given>";  ///< in messages, where a file has its name

class Given final : public Source {
public:
    explicit Given(std::vector<GivenValues> wanted) {
        for (GivenValues& each : wanted) {
            std::string name = each.name;
            values.insert_or_assign(std::move(name), std::move(each));
        }
    }

    base::Result<Values> look(const std::string& tensor, const Type* wanted,
                              types::TypeTable& types) override {
        const auto found = values.find(tensor);
        if (found == values.end()) return base::failure(Diag::WeightsMissing, {tensor, kName});
        const GivenValues& value = found->second;
        const Type* type = types.tensor(types.scalar(value.element), value.dims);
        if (!types::compatible(type, wanted))
            return base::failure(Diag::WeightsMismatch,
                                 {tensor, kName, types::toString(type), types::toString(wanted)});
        Bytes& bytes = made[tensor];
        if (!bytes) bytes = bytesOf(value, type);
        return Values{type, bytes};
    }

    std::string similarTo(const std::string& wanted) const override {
        base::SpellingSearch search(wanted);
        for (const auto& [name, value] : values) search.consider(name);
        return std::string(search.best());
    }

    std::string path() const override { return {}; }

private:
    static Bytes bytesOf(const GivenValues& value, const Type* type) {
        const auto alignment = static_cast<std::uintptr_t>(types::alignOf(type->element));
        if (reinterpret_cast<std::uintptr_t>(value.bytes) % alignment == 0)
            return {Bytes(), value.bytes};  // its owner keeps it
        const auto size = static_cast<std::size_t>(types::sizeOf(type));
        std::shared_ptr<std::byte[]> copy(new std::byte[size + 1]);
        std::copy_n(value.bytes, size, copy.get());
        return {copy, copy.get()};
    }

    std::map<std::string, GivenValues> values;
    std::map<std::string, Bytes> made;
};

}  // namespace

std::unique_ptr<Source> fromMemory(std::vector<GivenValues> values) {
    return std::make_unique<Given>(std::move(values));
}

}  // namespace strc::weights
