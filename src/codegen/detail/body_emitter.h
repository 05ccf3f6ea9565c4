#pragma once
/// One body into one LLVM function.

#include <vector>

#include "codegen/detail/body_debug.h"
#include "codegen/detail/body_parts.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/rings.h"
#include "ir/if_conversion.h"
#include "ir/vector_loops.h"

namespace strc::codegen {

using ir::Instr;
using ir::Op;
using ir::Reg;

class BodyEmitter {
public:
    BodyEmitter(ModuleBuilder&, KernelFunctions&, const ir::StreamCode*, const ir::Body&,
                llvm::Function&);
    void emit();
    /// Instead: `width` firings at once. The function returns an i1: false if they have to be done one by one
    /// after all (a check failed in one of them, or they do not agree on what they read and write); nothing but
    /// memory of the output has changed then. Transposed, Soa: `in` is what emitTranspose has made, or rows; Soa: so is `out`.
    void emitVectorised(const ir::Varying&, const VariantShape&);
    /// Instead: the firing of so many fused filters, one in each lane. Nothing can fail.
    void emitHorizontal(unsigned width);
    /// Instead: the window of `width` lanes with `repeat` firings each, in columns; what they push, in rows, as on a tape.
    void emitTranspose(const VariantShape&);
    void emitTransposeBack(const VariantShape&);

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
    llvm::Value* toInts(llvm::Value* row);
    llvm::Value* concat(const Instr&);
    llvm::Value* newString(const Instr&, llvm::Value* string);
    llvm::Value* toText(const Type*, llvm::Value*);
    llvm::Value* math(const Instr&);
    llvm::Value* complexMath(const Instr&);
    llvm::Value* modulus(llvm::Value* re, llvm::Value* im);
    llvm::Value* withPart(const Instr&);
    llvm::Value* floatMath(const Instr&, llvm::ArrayRef<llvm::Value*> args);
    bool isFloatMath(const Instr&) const;
    llvm::Value* part(llvm::Value* from, std::uint64_t k);
    llvm::Value* pair(llvm::Value* re, llvm::Value* im);

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

    // ---- vector_firings.cpp: several firings at once
    bool isVarying(Reg reg) const { return varying && varying->regs[reg]; }
    bool isVaryingLocal(ir::VarRef) const;
    /// Bytes of what lies in a place that the ref leads to, for one byte of the language's.
    std::uint64_t rows(Reg ref) const;
    llvm::FixedVectorType* vectorOf(llvm::Type* type) const {
        return llvm::FixedVectorType::get(type, width);
    }
    llvm::Type* shaped(llvm::Value* x, llvm::Type* type) const;  ///< with as many lanes as `x`
    /// The same in all lanes, if each has not its own yet. A complex row: all real parts, then all imaginary ones.
    llvm::Value* widen(llvm::Value* x);
    bool isRow(llvm::Value* x, unsigned parts = 1) const;  ///< has each lane its own?
    llvm::FixedVectorType* rowOf(const Type*);  ///< of one in memory that each lane has its own of
    llvm::Value* chosen(llvm::Value* where, llvm::Value* x, llvm::Value* otherwise);
    llvm::Value* joined(llvm::Value* re, llvm::Value* im);
    /// Between items as they lie in channels and values in vectors.
    llvm::Value* ofItems(const Type*, llvm::Value* items);
    llvm::Value* toItems(const Type*, llvm::Value* row);
    llvm::Value* same(const Instr& instr, std::size_t k);  ///< an operand as wide as the result
    llvm::Value* laneNumbers();
    llvm::Value* loadRow(const Type*, llvm::Value* at);
    void storeRow(const Type*, llvm::Value* at, llvm::Value* value);  ///< where the mask says so
    llvm::Value* loadItems(const Type*, llvm::Value* at);
    llvm::Value* gather(llvm::Type* scalar, llvm::Value* places, llvm::Align);
    llvm::Value* gatherItems(const Type*, llvm::Value* places);
    llvm::Value* gatherAt(const Type*, Reg ref);
    void scatterAt(const Type*, Reg ref, llvm::Value* value);
    llvm::Value* inLanes(llvm::Value* places, llvm::Type* scalar);
    llvm::Value* imaginaryPlaces(llvm::Value* places);
    llvm::Value* loadStrided(const Type*, llvm::Value* first, std::int64_t stride);
    llvm::Value* inputLanes(const Instr&, llvm::Value* index);
    void pushLanes(const Instr&, llvm::Value* index);
    llvm::Value* gatherDealt(const Type*, llvm::Value* index);
    void emitVaryingIf(const Instr&);
    llvm::Value* protect(llvm::Value* x, std::uint64_t harmless);
    void checkLanes(llvm::Value* holds);
    llvm::Value* eachLane(llvm::ArrayRef<llvm::Value*> args,
                          llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)>);

    // ---- vector_math.cpp: built-in functions in vectors
    void chooseVectorMath();
    bool isVectorMath(const Instr&) const;
    llvm::Value* mathInLoop(const Instr&, llvm::Value* x);
    llvm::Value* sigmoidInLoop(const Instr& conversion);
    llvm::Value* roundedMath(types::MathFn, std::vector<llvm::Value*> floats);

    // ---- horizontal.cpp: equal filters, each in a lane
    void bindOwn();
    llvm::Value* branchItems(const Instr&, llvm::Value* index);
    llvm::Value* branchAddress(unsigned side, const Type*, llvm::Value* index);

    // ---- vector_loops.cpp: several iterations of a loop at once
    void chooseVectorLoops();
    bool readsFit(const ir::VectorLoop&) const;
    void makeLoopSoa();
    const ir::VectorLoop* vectorLoopOf(const Instr& loop) const;
    void emitVectorLoop(const Instr& loop, const ir::VectorLoop&);
    void emitIterations(const Instr& loop, const ir::VectorLoop&, unsigned, llvm::BasicBlock* rest);
    llvm::Value* firstOf(llvm::Value* row);
    llvm::Value* peekInLoop(const Instr&);
    void checkRange(llvm::Value* first, std::int64_t count, llvm::Value* limit);
    llvm::Value* elementInLoop(const Instr&);
    void pushInLoop(const Instr&);

    // ---- transposes.cpp: windows of several firings, transposed
    void forBlocks(std::uint64_t count, std::uint64_t block,
                   llvm::function_ref<void(llvm::Value*)> blockBody);
    llvm::Type* itemType(const Type*);
    llvm::Value* itemAt(llvm::Value* from, const Type*, llvm::Value* index);
    void makeSoa();
    void takeSoa();
    std::uint64_t windowOfVector() const;
    void transposeWindow(std::uint64_t pop, std::uint64_t end);
    void transposeShort(const Type*, llvm::Value* from, llvm::Value* row, unsigned pop);
    void transposeBlock(const Type*, llvm::Value* from, std::uint64_t stride, llvm::Value* to,
                        std::uint64_t toStride, unsigned block);
    llvm::Value* loadSoa(const Type*, llvm::Value* index, std::uint64_t pop);
    void writeOut();
    void writeRows();
    llvm::Value* pushedRow(std::uint64_t k);
    void writeShort(const Type*, llvm::Value* from, llvm::Value* to, unsigned count);

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
    bool isFunction() const;

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
    const ir::Varying* varying = nullptr;  ///< null: one firing
    const elab::HorizontalFusion* horizontal =
        nullptr;  ///< each has a lane; null: lanes are firings
    unsigned width = 0;
    llvm::Value* mask = nullptr;  ///< which lanes run; null: all
    llvm::BasicBlock* giveUp = nullptr;  ///< returns false
    llvm::Value* pushedItems = nullptr;  ///< rows of what the lanes have pushed
    llvm::Value* soa = nullptr;  ///< null: items are read from the input itself
    std::uint64_t soaLength = 0, rowLength = 0;  ///< items from one column, or row, to the next
    ItemParts itemParts;  ///< of the columns and of what is pushed
    bool isTransposed = false, leavesRows = false;  ///< input has columns, output gets rows
    std::set<ir::BlockId> soonOver;  ///< bodies of loops that need not ask whether to stop
    std::vector<ir::VectorLoop> vectorLoops;
    std::uint64_t soaStride = 0;  ///< of loops in vectors that need columns; 0: none does
    const ir::VectorLoop* vectorLoop = nullptr;  ///< whose body is being emitted in vectors
    Products products;
    Sharing shared;
    LoopMath loopMath;
};

}  // namespace strc::codegen
