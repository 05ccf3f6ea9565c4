#pragma once
/// One body into one LLVM function.

#include <vector>

#include "codegen/detail/body_debug.h"
#include "codegen/detail/body_parts.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/rings.h"
#include "ir/if_conversion.h"
#include "vector/columns.h"

namespace strc::codegen {

using ir::Instr;
using ir::Op;
using ir::Reg;

class BodyEmitter {
public:
    BodyEmitter(ModuleBuilder&, KernelFunctions&, const ir::StreamCode*, const ir::Body&,
                llvm::Function&);
    void emit();
    /// Instead: a function that a pass has made of the work body (vector/firings.h). Its parameters, arrays, lie where these
    /// arguments of the LLVM function lead.
    void emitVariant(const std::vector<Param>&);

private:
    friend class LoopParts;  // loop_parts.cpp: the pass `parallel-loops`
    // ---- body_emitter.cpp: set-up, blocks, control
    void declareLocals();
    void bindParameters();
    void countItems();
    void proveRates();
    void block(ir::BlockId);
    void instruction(const Instr&);
    void emitIf(const Instr&);
    void emitLoop(const Instr&);
    void emitReturn(const Instr*);
    void emitCall(const Instr&);
    bool isCounted(const Instr& loop) const;
    bool leavesStrings(const Instr& loop);
    bool keepsStrings(const Instr& loop) const;
    void releaseStrings();
    void poll();

    bool isChecked(const Instr&) const;  ///< what is done for nothing is not what was proved about
    // ---- natives.cpp
    void emitNative(const Instr&);
    void emitDynamicShape(const Instr&);
    llvm::Value* nativeArgument(const Instr&, std::size_t k);
    llvm::Value* tensorView(const Type* tensor, llvm::Value* data, std::size_t k);

    // ---- queues.cpp: input and output of filters with dynamic rates
    llvm::Value* queueEnd(unsigned queue, std::size_t which);
    void checkRate(llvm::Value* holds, const RateBreach&, llvm::Value* count);
    llvm::Value* queuedInput(const Instr&, llvm::Value* offset);
    llvm::Value* queuedOutput(const Instr&);
    void moveQueueEnd(const Instr&, llvm::Value* end);
    void checkQueueCounts();
    void countEmpty();

    // ---- rings.cpp
    bool usesRings() const { return m.plan.tapes == plan::Tapes::Ring; }
    Ring ring(const Instr&, unsigned side);
    llvm::Value* further(llvm::Value* offset);
    bool ringTape(const Instr&);

    // ---- messages.cpp
    void emitSend(const Instr&);

    // ---- debug_variables.cpp: for -g
    void beginDebug();
    void showVariables();
    void showConstants(const elab::Kernel&);
    void showLocal(std::vector<Instr>::const_iterator at, std::vector<Instr>::const_iterator end);

    // ---- scalars.cpp
    bool scalar(const Instr&);  ///< false: not one of these
    llvm::Value* arithmetic(const Instr&);
    llvm::Value* intArithmetic(const Instr&, llvm::Value* a, llvm::Value* b);
    llvm::Value* realArithmetic(Op, llvm::Value* a, llvm::Value* b);
    llvm::Value* complexArithmetic(Op, llvm::Value* a, llvm::Value* b);
    llvm::Value* compare(const Instr&);
    llvm::Value* convert(const Instr&);
    llvm::Value* toInts(llvm::Value* vector);
    llvm::Value* concat(const Instr&);
    llvm::Value* newString(const Instr&, llvm::Value* string);
    llvm::Value* toText(const Type*, llvm::Value*);
    llvm::Value* math(const Instr&);
    llvm::Value* complexMath(const Instr&);
    llvm::Value* modulus(llvm::Value* re, llvm::Value* im);
    llvm::Value* withPart(const Instr&);
    llvm::Value* floatMath(const Instr&, llvm::ArrayRef<llvm::Value*> args);
    llvm::Value* narrowed(llvm::Value* x);
    bool isFloatMath(const Instr&) const;
    llvm::Value* part(llvm::Value* from, std::uint64_t k);

    // ---- memory.cpp
    bool memory(const Instr&);
    bool isOpen(ir::VarRef) const;
    llvm::Value* loadOpen(const Instr&);
    llvm::Value* addressOf(ir::VarRef);
    void needStack(const ir::Body&, base::SourceRange, std::string name, bool always = false);
    void askForStack(Site, llvm::Value* bytes);
    void declareLarge();
    std::uint64_t localBytes(std::size_t local) const;
    bool isLarge(std::size_t local) const;
    void declareLocal(const Instr&);
    void declareDynamic(const Instr&);
    llvm::Value* element(const Instr&);
    llvm::Value* loadAt(const Instr&);
    void storeAt(const Instr&);
    llvm::Value* byteCount(const Instr&, std::size_t refs);
    const Type* declaredType(ir::VarRef) const;
    llvm::Value* extent(const Instr&);

    // ---- body_operators.cpp, body_products.cpp: the passes `library-operators` and `register-tiling`
    void chooseOperators();
    void chooseProducts();
    void fetchPanels(Product&);
    llvm::Value* makeScratch(llvm::IRBuilder<>&);
    void contract(const Instr&);

    // ---- tapes.cpp, item_aliases.cpp
    bool tape(const Instr&);
    void aliasItems();
    llvm::Value* input(const Instr&, llvm::Value* offset);
    llvm::Value* inputIndex(const Instr&, llvm::Value* offset);  ///< in the window, checked
    llvm::Value* inputItem(const Instr&, llvm::Value* offset);
    llvm::Value* outputIndex(const Instr&);
    llvm::Value* dealtItem(unsigned side, llvm::Value* index);
    llvm::Value* outputItem(const Instr&);
    llvm::Value* itemAt(llvm::Value* from, const Type*, llvm::Value* index);
    llvm::Type* itemType(const Type*);
    void advance(llvm::Value* counter);
    void passInput(const Instr&);  ///< the item that was popped
    void passOutput(const Instr&);
    void checkCounts();
    void checkCount(llvm::Value* counter, std::int64_t declared, base::Diag);
    std::vector<std::string> rateWords() const;
    void print(const Instr&);

    // ---- if_conversion.cpp: branches whose sides are both done
    void chooseIfConversion();
    std::int64_t discardedBytes() const;
    std::uint64_t spareBytes(std::size_t local) const;
    bool isConverted(const Instr& branch) const;
    void emitConvertedIf(const Instr&);
    llvm::Value* select(llvm::Value* x, llvm::Value* otherwise);
    llvm::Value* selectedAddress(Reg ref);
    llvm::Value* selectedOutput();

    // ---- vectors.cpp: operations on vectors
    bool vector(const Instr&);
    unsigned lanesOf(Reg reg) const { return static_cast<unsigned>(types::lanesOf(typeOf(reg))); }
    /// The type, or a vector of so many if there are lanes.
    static llvm::Type* inLanes(unsigned lanes, llvm::Type* type) {
        return lanes == 0 ? type : llvm::FixedVectorType::get(type, lanes);
    }
    llvm::Value* splat(const Type* vector, llvm::Value* x);
    llvm::Value* lane(const Instr&);
    llvm::Value* selected(const Instr&);
    llvm::Value* laneNumbers(unsigned lanes);
    /// A complex number of both, or, of vectors, one in each lane.
    llvm::Value* joined(llvm::Value* re, llvm::Value* im);
    llvm::Value* everyLane(unsigned lanes);
    /// Between items as they lie in channels and values in vectors.
    llvm::Value* ofItems(const Type* vector, llvm::Value* items);
    llvm::Value* toItems(const Type* vector, llvm::Value* value);
    llvm::Value* loadStrided(const Type* vector, llvm::Value* first, std::uint32_t stride);
    void storeItems(const Type* vector, llvm::Value* at, llvm::Value* value);
    llvm::Value* gatherItems(const Type* vector, llvm::Value* places, llvm::Value* mask);
    llvm::Value* gather(const Instr&);
    void scatter(const Instr&);
    /// Where each lane's own part of vectors in memory lies.
    llvm::Value* ownPlaces(llvm::Value* places, llvm::Type* scalar, unsigned lanes);
    llvm::Value* peekVector(const Instr&);
    void pushVector(const Instr&);
    llvm::Value* eachLane(llvm::ArrayRef<llvm::Value*> args, unsigned lanes,
                          llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)>);

    // ---- vector_math.cpp: built-in functions in vectors
    void chooseVectorMath();
    bool isVectorMath(const Instr&) const;
    llvm::Value* mathInLoop(const Instr&, llvm::Value* x);
    llvm::Value* sigmoidInLoop(const Instr& conversion);
    llvm::Value* roundedMath(types::MathFn, std::vector<llvm::Value*> floats);

    // ---- transposes.cpp: windows and rows of several firings, transposed
    struct Matrix;  ///< of items
    void forBlocks(std::uint64_t count, std::uint64_t block,
                   llvm::function_ref<void(llvm::Value*)> blockBody);
    void peekColumns(const Instr&);
    void transposeShort(const Matrix&, llvm::Value* row);
    void transposeBlock(const Type*, llvm::Value* from, std::uint64_t stride, llvm::Value* to,
                        std::uint64_t toStride, unsigned block);
    void pushRows(const Instr&);
    void pushDealt(const Instr&);
    void writeShort(const Type*, llvm::Value* from, llvm::Value* to, unsigned count,
                    std::uint64_t rowLength);

    /// Left out where Options::checks is off.
    void check(llvm::Value* holds, Site, llvm::Value* a = nullptr, llvm::Value* b = nullptr);
    /// Always made: the stack would overflow.
    void require(llvm::Value* holds, Site, llvm::Value* a = nullptr, llvm::Value* b = nullptr);

    llvm::Value* value(Reg reg) const { return values[reg]; }
    llvm::Value* operand(const Instr& instr, std::size_t k) const {
        return values[instr.operands[k]];
    }
    const Type* typeOf(Reg reg) const { return body.regs[reg].type; }
    void set(const Instr& instr, llvm::Value* made) {
        if (instr.result != ir::kNone) values[instr.result] = made;
    }
    llvm::Argument* param(unsigned k) const { return function->getArg(k); }
    llvm::BasicBlock* newBlock(const char* name);
    bool isFunction() const;  ///< of the language

    ModuleBuilder& m;
    KernelFunctions& kernel;
    const ir::Proofs& proofs;
    const ir::StreamCode* code;
    const ir::Body& body;
    llvm::Function* function;
    llvm::IRBuilder<> b, entry;  ///< where instructions go now, and where variables are made
    std::vector<llvm::Value*> values;
    std::vector<LocalStorage> locals;
    std::vector<LoopTargets> loops;
    std::vector<llvm::Value*> views;  ///< tensors that natives see, by argument; null: none so far
    llvm::Value *popped = nullptr, *pushed = nullptr;  ///< where the counters are
    llvm::Value* yielded = nullptr;  ///< by the block emitted last
    bool checkPops = true, checkPushes = true, checkPeeks = true;
    graph::Rates rates;
    bool queued = false;  ///< In and Out are queues
    std::unique_ptr<BodyDebug> debug;  ///< null: without -g
    std::vector<bool> floatResults;  ///< ir::findFloatMath; empty: nobody asks
    bool vectorMath = false;  ///< such functions are done in vectors, where they vary
    std::optional<ir::IfConversion> ifConversion;
    ir::ItemAliases items;  ///< arrays that lie in the windows of the firing
    llvm::Value* predicate = nullptr;  ///< in a side of a selection: its condition
    llvm::Value* discarded = nullptr;  ///< memory for what must not be pushed
    const std::vector<Param>* variant = nullptr;  ///< null: it is a body of the program
    bool hasVectors = false;
    std::set<ir::BlockId> soonOver;  ///< bodies of loops that need not ask whether to stop
    Products products;
    Sharing shared;
    LoopMath loopMath;
};

}  // namespace strc::codegen
