// What the runtime needs to know at the end of the input, as constants.

#include "codegen/detail/ending.h"

#include <cstring>

namespace strc::codegen {
namespace {

/// Rows as they lie in memory: they have no pointers.
template <typename Row>
llvm::Constant* rowsOf(ModuleBuilder& m, const std::vector<Row>& rows, const char* name) {
    static_assert(sizeof(Row) % sizeof(std::uint64_t) == 0);
    std::vector<std::uint64_t> words(rows.size() * sizeof(Row) / sizeof(std::uint64_t));
    if (!rows.empty()) std::memcpy(words.data(), rows.data(), rows.size() * sizeof(Row));
    auto* data = llvm::ConstantDataArray::get(m.context, words);
    return new llvm::GlobalVariable(m.module, data->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, data, name);
}

}  // namespace

llvm::Constant* emitEnding(ModuleBuilder& m, const graph::Ending& ending, llvm::Constant* init,
                           llvm::Constant* steady) {
    auto* table = llvm::ConstantStruct::getAnon(
        {rowsOf(m, ending.nodes, "ending.nodes"), rowsOf(m, ending.flows, "ending.flows"),
         llvm::ConstantInt::get(m.i32(), ending.nodes.size()),
         llvm::ConstantInt::get(m.i32(), ending.flows.size()),
         llvm::ConstantInt::get(m.i64(), static_cast<std::uint64_t>(ending.states)), init, steady});
    return new llvm::GlobalVariable(m.module, table->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, table, "ending");
}

}  // namespace strc::codegen
