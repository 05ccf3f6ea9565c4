#include "codegen/detail/operator_table.h"

#include <algorithm>

#include "codegen/detail/module_builder.h"

namespace strc::codegen {
namespace {

static_assert(operators::kMostRank == STRC_KERNEL_RANK);

strc_kernel_view viewOf(const operators::View& from) {
    strc_kernel_view view{};
    view.first = from.first;
    view.rank = static_cast<std::int64_t>(from.extents.size());
    std::copy(from.extents.begin(), from.extents.end(), view.extents);
    std::copy(from.steps.begin(), from.steps.end(), view.steps);
    return view;
}

strc_kernel rowOf(const operators::Operator& what) {
    strc_kernel row{};
    row.kind = what.kind == operators::OperatorKind::Matmul ? STRC_MATMUL : STRC_CONVOLUTION;
    row.is_swapped = what.isSwapped ? 1 : 0;
    row.source = viewOf(what.source);
    row.weights = viewOf(what.weights);
    row.result = viewOf(what.result);
    std::copy(what.strides.begin(), what.strides.end(), row.strides);
    std::copy(what.dilations.begin(), what.dilations.end(), row.dilations);
    return row;
}

std::string bytesOf(const void* rows, std::size_t size) {
    return {static_cast<const char*>(rows), size};
}

/// A `strc_kernel_weights`.
llvm::Constant* weightsRow(ModuleBuilder& m, const ir::StoredArray* array) {
    llvm::Constant* place = llvm::ConstantPointerNull::get(m.ptr());
    bool isPointer = false;
    if (array) {
        const StoredSymbol& symbol = m.storedSymbol(*array);
        place = m.module.getNamedGlobal(symbol.symbol);
        isPointer = symbol.isPointer;
    }
    return llvm::ConstantStruct::getAnon(
        {place, llvm::ConstantInt::get(m.i64(), isPointer ? 1 : 0)});
}

}  // namespace

std::uint32_t OperatorTable::add(ModuleBuilder& m, const operators::Operator& what,
                                 const ir::StoredArray* array) {
    const strc_kernel row = rowOf(what);
    llvm::Constant* place = weightsRow(m, array);
    const auto number = static_cast<std::uint32_t>(rows.size());
    auto [found, isNew] = numbers.try_emplace({bytesOf(&row, sizeof row), place}, number);
    if (!isNew) return found->second;
    rows.push_back(row);
    weights.push_back(place);
    return number;
}

llvm::Constant* OperatorTable::emit(ModuleBuilder& m) const {
    if (rows.empty()) return llvm::ConstantPointerNull::get(m.ptr());
    const OperatorLibrary& library = *m.options.kernels;
    auto* type = llvm::ArrayType::get(weights[0]->getType(), weights.size());
    auto small = [&](std::uint32_t value) { return llvm::ConstantInt::get(m.i32(), value); };
    return m.constantData(
        llvm::ConstantStruct::getAnon(
            {m.module.getOrInsertGlobal("strc_kernel_functions", m.i8()),
             m.bytes(library.path + '\0'),
             m.bytes(bytesOf(rows.data(), rows.size() * sizeof rows[0])),
             m.constantData(llvm::ConstantArray::get(type, weights), "kernel_weights"),
             llvm::ConstantInt::get(m.i64(), rows.size()),
             small(library.choice.provider == operators::Provider::Torch ? STRC_TORCH
                                                                         : STRC_ONEDNN),
             small(0)}),
        "kernels");
}

}  // namespace strc::codegen
