// Frames of functions that are no part of a recursion need no stack: a call graph without cycles says where each begins, behind
// those of all its callers ("compiled stacks" of compilers for small processors). Filters fire one after the other, so
// their frames lie in the same bytes.

#include "codegen/detail/work_memory.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "base/assert.h"
#include "codegen/detail/llvm_backend.h"
#include "strc/runtime.h"

namespace strc::codegen {
namespace {

constexpr const char* kMark = "strc.work";
/// Bytes of an array that is worth a place of its own.
constexpr std::uint64_t kSmallArray = 64;
/// Bytes of arrays that a function may keep on the stack.
constexpr std::uint64_t kMostOnStack = 1024;
constexpr std::uint64_t kWorkAlignment = 64;

std::uint64_t alignedUp(std::uint64_t bytes) {
    return (bytes + kWorkAlignment - 1) / kWorkAlignment * kWorkAlignment;
}

std::uint64_t arrayBytes(const llvm::AllocaInst& array) {
    const auto size = array.getAllocationSize(array.getDataLayout());
    return size ? size->getFixedValue() : 0;
}

/// The arrays that do not stay on the stack, the largest first.
std::vector<llvm::AllocaInst*> arraysOf(llvm::Function& function) {
    std::vector<llvm::AllocaInst*> arrays;
    std::uint64_t onStack = 0;
    for (llvm::Instruction& instr : llvm::instructions(function)) {
        auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instr);
        if (!array || arrayBytes(*array) <= kSmallArray ||
            array->getAlign().value() > kWorkAlignment)
            continue;
        arrays.push_back(array);
        onStack += arrayBytes(*array);
    }
    std::stable_sort(arrays.begin(), arrays.end(),
                     [](auto* x, auto* y) { return arrayBytes(*x) > arrayBytes(*y); });
    std::size_t count = 0;
    while (onStack > kMostOnStack) onStack -= arrayBytes(*arrays[count++]);
    arrays.resize(count);
    return arrays;
}

/// The function that marks others by being called there: nothing moves across the call or goes away for it, and the environment
/// remains a parameter.
llvm::Function* markOf(llvm::Module& module) {
    llvm::LLVMContext& context = module.getContext();
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                         {llvm::PointerType::getUnqual(context)}, false);
    auto* mark = llvm::cast<llvm::Function>(module.getOrInsertFunction(kMark, type).getCallee());
    mark->setDoesNotThrow();
    mark->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
    for (auto attribute : {llvm::Attribute::WillReturn, llvm::Attribute::NoCallback,
                           llvm::Attribute::NoFree, llvm::Attribute::NoSync})
        mark->addFnAttr(attribute);
    mark->addParamAttr(0, llvm::Attribute::NoCapture);
    mark->addParamAttr(0, llvm::Attribute::ReadNone);
    return mark;
}

/// The arrays of one function, laid out from 0 on.
class Frame {
public:
    Frame(llvm::Function& function, llvm::Value* environment)
        : env(environment), arrays(arraysOf(function)) {
        if (!arrays.empty()) layOut(function);
    }

    std::uint64_t bytes() const { return size; }

    /// Puts the arrays into the work memory, from `base` on.
    void move(llvm::Function& function, std::uint64_t base) {
        if (arrays.empty()) return;
        for (llvm::AllocaInst* array : arrays) eraseMarkers(*array);
        llvm::BasicBlock& first = function.getEntryBlock();
        llvm::IRBuilder<> b(&first, first.getFirstNonPHIOrDbgOrAlloca());
        auto* place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), env, offsetof(strc_env, work));
        llvm::LoadInst* work = b.CreateAlignedLoad(b.getPtrTy(), place, llvm::Align(8), "work");
        work->setMetadata(llvm::LLVMContext::MD_invariant_load,
                          llvm::MDNode::get(b.getContext(), {}));
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            auto* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), work, base + places[k]);
            at->takeName(arrays[k]);
            replace(*arrays[k], *at, b);
        }
    }

private:
    /// Each array where it meets none that is in use at the same time, as near to the beginning as it can be.
    void layOut(const llvm::Function& function) {
        const std::vector<const llvm::AllocaInst*> all(arrays.begin(), arrays.end());
        llvm::StackLifetime lives(function, all, llvm::StackLifetime::LivenessType::May);
        lives.run();
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;  // begin, end
            for (std::size_t other = 0; other < k; ++other)
                if (lives.getLiveRange(arrays[k]).overlaps(lives.getLiveRange(arrays[other])))
                    taken.emplace_back(places[other], places[other] + arrayBytes(*arrays[other]));
            std::sort(taken.begin(), taken.end());
            std::uint64_t at = 0;
            for (const auto& [begin, end] : taken) {
                if (at + arrayBytes(*arrays[k]) <= begin) break;
                at = std::max(at, alignedUp(end));
            }
            places.push_back(at);
            size = std::max(size, alignedUp(at + arrayBytes(*arrays[k])));
        }
    }

    /// One of them may be the first instruction of the function, in front of which all is computed.
    static void eraseMarkers(llvm::AllocaInst& array) {
        std::vector<llvm::Instruction*> markers;
        for (llvm::User* user : array.users())
            if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
                call && call->isLifetimeStartOrEnd())
                markers.push_back(call);
        for (llvm::Instruction* marker : markers) marker->eraseFromParent();
    }

    /// Debuggers find the address in a variable, since registers are soon used for something else.
    static void replace(llvm::AllocaInst& array, llvm::Value& at, llvm::IRBuilder<>& b) {
        if (!llvm::findDVRDeclares(&array).empty() || !llvm::findDbgDeclares(&array).empty()) {
            llvm::BasicBlock& first = b.GetInsertBlock()->getParent()->getEntryBlock();
            auto* home = llvm::IRBuilder<>(&first, first.begin()).CreateAlloca(b.getPtrTy());
            b.CreateStore(&at, home);
            llvm::DIBuilder debug(*array.getModule(), false);
            llvm::replaceDbgDeclare(&array, home, debug, llvm::DIExpression::DerefBefore, 0);
        }
        array.replaceAllUsesWith(&at);
        array.eraseFromParent();
    }

    llvm::Value* env;
    std::vector<llvm::AllocaInst*> arrays;
    std::vector<std::uint64_t> places;  ///< by array
    std::uint64_t size = 0;
};

using Frames = std::map<llvm::Function*, Frame>;

/// Of all functions that are marked. The marks are gone then.
Frames takeFrames(llvm::Module& module) {
    Frames frames;
    llvm::Function* mark = module.getFunction(kMark);
    if (!mark) return frames;
    std::vector<llvm::CallInst*> calls;
    for (llvm::User* user : mark->users()) calls.push_back(llvm::cast<llvm::CallInst>(user));
    for (llvm::CallInst* call : calls) {
        llvm::Function* function = call->getFunction();
        llvm::Value* env = call->getArgOperand(0);
        call->eraseFromParent();
        if (frames.contains(function)) continue;
        STRC_ASSERT(llvm::isa<llvm::Argument>(env), "an environment that is made on the way");
        frames.try_emplace(function, *function, env);
    }
    mark->eraseFromParent();
    return frames;
}

/// Where the frame of each function that is called begins: behind those of all who may call it.
std::map<llvm::Function*, std::uint64_t> basesOf(llvm::Module& module, const Frames& frames) {
    std::map<llvm::Function*, std::uint64_t> bases;
    std::vector<llvm::Function*> todo;
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) todo.push_back(&function);
    while (!todo.empty()) {
        llvm::Function* caller = todo.back();
        todo.pop_back();
        const auto frame = frames.find(caller);
        const std::uint64_t end =
            bases[caller] + (frame == frames.end() ? 0 : frame->second.bytes());
        if (end == 0) continue;
        for (llvm::Instruction& instr : llvm::instructions(*caller)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instr);
            llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
            if (!callee || callee->isDeclaration() || bases[callee] >= end) continue;
            bases[callee] = end;
            todo.push_back(callee);
        }
    }
    return bases;
}

void setWorkSize(llvm::Module& module, const char* program, std::uint64_t bytes) {
    llvm::GlobalVariable* constant = module.getNamedGlobal(program);
    if (!constant) return;
    auto* fields = llvm::cast<llvm::ConstantStruct>(constant->getInitializer());
    const unsigned field = module.getDataLayout()
                               .getStructLayout(fields->getType())
                               ->getElementContainingOffset(offsetof(strc_program, work_size));
    std::vector<llvm::Constant*> all;
    for (llvm::Value* each : fields->operands()) all.push_back(llvm::cast<llvm::Constant>(each));
    all[field] = llvm::ConstantInt::get(all[field]->getType(), bytes);
    constant->setInitializer(llvm::ConstantStruct::get(fields->getType(), all));
}

}  // namespace

void markForWork(llvm::Function& function) {
    if (arraysOf(function).empty()) return;
    llvm::BasicBlock& first = function.getEntryBlock();
    llvm::IRBuilder<> b(&first, first.getFirstNonPHIOrDbgOrAlloca());
    llvm::CallInst* call = b.CreateCall(markOf(*function.getParent()), {function.getArg(0)});
    if (llvm::DISubprogram* scope = function.getSubprogram())
        call->setDebugLoc(llvm::DILocation::get(function.getContext(), 0, 0, scope));
}

void placeWork(llvm::Module& module) {
    Frames frames = takeFrames(module);
    if (frames.empty()) return;
    const auto bases = basesOf(module, frames);
    std::uint64_t size = 0;
    for (auto& [function, frame] : frames) {
        const std::uint64_t base = bases.contains(function) ? bases.at(function) : 0;
        frame.move(*function, base);
        size = std::max(size, base + frame.bytes());
    }
    // What LLVM has found out about the memory that functions touch was true of variables of theirs.
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) function.setMemoryEffects(llvm::MemoryEffects::unknown());
    for (const char* program : {"strc_program", "strc_fallback", "strc_lanes_program"})
        setWorkSize(module, program, size);
}

}  // namespace strc::codegen
