#pragma once
/// Operations on vectors, and vectors in memory and on tapes.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// False: the instruction is none of these.
bool emitVector(BodyContext&, const Instr&);

/// The type, or a vector of so many if there are lanes.
inline llvm::Type* inLanes(unsigned lanes, llvm::Type* type) {
    return lanes == 0 ? type : llvm::FixedVectorType::get(type, lanes);
}
/// A complex number of both, or, of vectors, one in each lane.
llvm::Value* joinedParts(BodyContext&, llvm::Value* re, llvm::Value* im);
/// The vector of what `make` gives for the arguments of each lane in turn.
llvm::Value* eachLane(BodyContext&, llvm::ArrayRef<llvm::Value*> args, unsigned lanes,
                      llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> make);

/// The type in which items move.
llvm::Type* itemType(BodyContext&, const Type*);
llvm::Value* itemAt(BodyContext&, llvm::Value* from, const Type*, llvm::Value* index);
/// The vector of items as they lie in channels.
llvm::Value* ofItems(BodyContext&, const Type* vector, llvm::Value* items);

}  // namespace strc::codegen
