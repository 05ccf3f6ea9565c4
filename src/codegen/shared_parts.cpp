#include "codegen/detail/shared_parts.h"

#include <array>

#include "codegen/detail/module_builder.h"

namespace strc::codegen {
namespace {

class Emitter {
public:
    Emitter(ModuleBuilder& builder, const SharedParts& parts, const Operands& operands)
        : m(builder),
          how(parts),
          element(operands.element),
          factors{operands.factorA, operands.factorB} {}

    void emit(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const Operands& operands,
              llvm::Value* env) {
        std::vector<llvm::Value*> all{operands.out, operands.a, operands.b};
        all.insert(all.end(), operands.addends.begin(), operands.addends.end());
        addends = operands.addends.size();
        auto* type = llvm::ArrayType::get(m.ptr(), all.size());
        llvm::Value* self = entry.CreateAlloca(type, nullptr, "operands");
        for (unsigned k = 0; k < all.size(); ++k)
            b.CreateStore(all[k], b.CreateConstInBoundsGEP2_64(type, self, 0, k));
        if (how.spread) {
            b.CreateCall(m.runtime("strc_spread"), {env, function(), self, how.spread});
            return;
        }
        const std::int64_t count = (how.loop.trips + how.grain - 1) / how.grain;
        b.CreateCall(m.runtime("strc_share"), {env, function(), self, b.getInt64(asU64(count))});
    }

private:
    /// void part(self, first, end)
    llvm::Function* function() {
        auto* i64 = llvm::Type::getInt64Ty(m.context);
        auto* type =
            llvm::FunctionType::get(llvm::Type::getVoidTy(m.context), {m.ptr(), i64, i64}, false);
        auto* made =
            llvm::Function::Create(type, llvm::Function::InternalLinkage, "part", m.module);
        made->setDoesNotThrow();
        llvm::IRBuilder<> entry(llvm::BasicBlock::Create(m.context, "entry", made));
        auto* iteration = llvm::BasicBlock::Create(m.context, "part", made);
        auto* done = llvm::BasicBlock::Create(m.context, "done", made);
        llvm::IRBuilder<> b(iteration);
        auto* part = b.CreatePHI(i64, 2);
        part->addIncoming(made->getArg(1), &made->getEntryBlock());
        one(b, entry, made->getArg(0), part);
        llvm::Value* next = b.CreateAdd(part, b.getInt64(1));
        part->addIncoming(next, b.GetInsertBlock());
        b.CreateCondBr(b.CreateICmpSLT(next, made->getArg(2)), iteration, done);
        b.SetInsertPoint(done);
        b.CreateRetVoid();
        entry.CreateBr(iteration);
        return made;
    }

    void one(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, llvm::Value* self, llvm::Value* part) {
        llvm::Value* first = b.CreateMul(part, b.getInt64(asU64(how.grain)));
        auto moved = [&](unsigned k, llvm::Type* type, llvm::Value* times, std::int64_t step) {
            llvm::Value* begin =
                b.CreateLoad(m.ptr(), b.CreateConstInBoundsGEP1_64(m.ptr(), self, k));
            return b.CreateGEP(type, begin, b.CreateMul(times, b.getInt64(asU64(step))));
        };
        auto operand = [&](unsigned k, llvm::Type* type, std::int32_t step) {
            return moved(k, type, first, step);
        };
        const ir::ContractionLoop& loop = how.loop;
        llvm::Value* out =
            how.partial > 0 ? moved(0, element, part, how.partial) : operand(0, element, loop.out);
        Operands here{element, out, operand(1, factors[0].type, loop.a),
                      operand(2, factors[1].type, loop.b)};
        here.factorA = factors[0];
        here.factorB = factors[1];
        for (unsigned k = 0; k < addends; ++k)
            here.addends.push_back(operand(3 + k, element, loop.added[k]));
        const std::int64_t last = loop.trips % how.grain;
        if (last == 0) return how.part(b, entry, here, how.grain, part);
        auto block = [&](const char* name) {
            return llvm::BasicBlock::Create(m.context, name, b.GetInsertBlock()->getParent());
        };
        llvm::BasicBlock *whole = block("whole"), *rest = block("rest"), *after = block("after");
        b.CreateCondBr(b.CreateICmpSLT(part, b.getInt64(asU64(loop.trips / how.grain))), whole,
                       rest);
        b.SetInsertPoint(whole);
        how.part(b, entry, here, how.grain, part);
        b.CreateBr(after);
        b.SetInsertPoint(rest);
        how.part(b, entry, here, last, part);
        b.CreateBr(after);
        b.SetInsertPoint(after);
    }

    ModuleBuilder& m;
    const SharedParts& how;
    llvm::Type* element;
    std::array<Factor, 2> factors;
    std::size_t addends = 0;
};

}  // namespace

void emitShared(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry,
                const SharedParts& parts, const Operands& operands, llvm::Value* env) {
    Emitter(m, parts, operands).emit(b, entry, operands, env);
}

void emitPiece(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry,
               const Product& product, const Operands& operands) {
    llvm::Value* scratch = nullptr;
    const auto elementBytes =
        static_cast<std::int64_t>(operands.element->getPrimitiveSizeInBits() / 8);
    if (const std::int64_t bytes = product.scratchBytes(elementBytes); bytes > 0) {
        auto* slot =
            entry.CreateAlloca(llvm::ArrayType::get(m.i8(), asU64(bytes)), nullptr, "room");
        slot->setAlignment(llvm::Align(64));
        scratch = slot;
    }
    emitProduct(b, product, m.target(), operands, scratch, [] {});
}

}  // namespace strc::codegen
