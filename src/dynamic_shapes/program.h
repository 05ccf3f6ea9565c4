#pragma once
/// The filters of a program whose shapes only the run knows, with all that is needed to run them where the rest of the program is
/// machine code (elab/detail/compiled_form.h): in this process, or in an executable, which has it as bytes (pack.h).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace strc::dynamic_shapes {

using types::Type;
using types::Value;

/// One side of a filter.
struct Channel {
    const Type* item =
        nullptr;  ///< as bodies see it: a tensor, or what lies in memory; null: there is none
    const Type* memory = nullptr;  ///< of an item on the channel
    bool isHandle = false;  ///< such memory is the name of a tensor (eval/tensors.h)
    const Type* declared = nullptr;  ///< of tensors: what streams around the channel say
    std::vector<const Type*>
        tensors;  ///< those that are known to come, over and over; empty: only the run knows
};

/// Items of one side of a firing are handed over one by one, as memory for each, or all in one piece.
bool isHandedOverWhole(const Type* memory, std::int64_t items);

/// Rates::push if the firing decides how many items it pushes; they are given one by one (Filters::next).
constexpr std::int64_t kAnyNumber = -1;

struct Rates {
    std::int64_t peek = 0, pop = 0, push = 0;
    std::int64_t least = 0, most = 0;  ///< of any number of items; kAnyNumber: without a bound
};

/// The code and types that filters of one declaration with equal constants share.
struct Kernel {
    std::uint32_t code = ir::kNone;  ///< Module::streams; tensors in it are values
    std::vector<Value> constants;
    std::vector<const Type*>
        fieldTypes;  ///< concrete, or tensors, of which the state has the names
    std::vector<std::int64_t> fieldOffsets;
    std::int64_t stateSize = 0;
    /// By field: tensors that are there at the start, null for others.
    std::vector<const Type*> tensors;
    std::vector<std::uint32_t> storedTensors;  ///< where these are: StreamCode::stored, or kNone
    std::vector<std::int64_t> initialOffsets;  ///< else here, in Filter::state, as all other fields
};

struct Filter {
    std::uint32_t node = ir::kNone;  ///< as ir::CalleeKind::Symbolic names it
    std::uint32_t kernel = ir::kNone;
    std::string name;
    std::string
        added;  ///< what the program calls it, or the stream of the library that it is a part of
    Rates work;
    std::optional<Rates> prework;
    Channel input, output;
    std::shared_ptr<const std::string> state;
};

struct Program {
    ir::Module module;  ///< streams are code with its constants bound
    std::vector<Kernel> kernels;
    std::vector<Filter> filters;  ///< by node, ascending
};

/// Do bodies that run call native code?
bool callsNatives(const Program&);
/// Constants whose values are known only when an executable starts?
bool hasOpenConstants(const Program&);

}  // namespace strc::dynamic_shapes
