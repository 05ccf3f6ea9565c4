#include "codegen/detail/state_pieces.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "codegen/detail/module_builder.h"
#include "plan/kept.h"

namespace strc::codegen {
namespace {

constexpr std::size_t kBlock = 4096;  ///< fewer zeros would hardly be worth a piece more

bool isZero(const std::string& image, std::size_t at) {
    static constexpr std::array<char, kBlock> zeros{};
    return std::memcmp(image.data() + at, zeros.data(), std::min(kBlock, image.size() - at)) == 0;
}

}  // namespace

Rows rowsOf(ModuleBuilder& m, const std::vector<llvm::Constant*>& rows, const std::string& name) {
    if (rows.empty()) return {llvm::ConstantPointerNull::get(m.ptr()), 0};
    auto* type = llvm::ArrayType::get(rows[0]->getType(), rows.size());
    auto* table = new llvm::GlobalVariable(m.module, type, true, llvm::GlobalValue::PrivateLinkage,
                                           llvm::ConstantArray::get(type, rows), name);
    return {table, rows.size()};
}

Rows emitPieces(ModuleBuilder& m, const std::string& image) {
    std::vector<llvm::Constant*> rows;
    for (std::size_t at = 0; at < image.size();) {
        const std::size_t begin = at;
        while (at < image.size() && !isZero(image, at)) at += kBlock;
        if (at > begin) {
            const std::string bytes = image.substr(begin, at - begin);
            auto number = [&](std::size_t value) { return llvm::ConstantInt::get(m.i64(), value); };
            rows.push_back(llvm::ConstantStruct::getAnon(
                {number(begin), number(bytes.size()), m.bytes(bytes)}));
        }
        at += kBlock;
    }
    return rowsOf(m, rows, "pieces");
}

Rows emitKept(ModuleBuilder& m) {
    std::vector<llvm::Constant*> rows;
    auto number = [&](std::int64_t value) {
        return llvm::ConstantInt::get(m.i64(), static_cast<std::uint64_t>(value));
    };
    for (const plan::Kept& kept : plan::keptBetweenPhases(m.plan))
        rows.push_back(llvm::ConstantStruct::getAnon({number(kept.at), number(kept.size)}));
    return rowsOf(m, rows, "kept");
}

}  // namespace strc::codegen
