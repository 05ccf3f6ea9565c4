// Kernels as an LLVM module for NVPTX: each is a function for one thread, made by the emitter of all bodies, and around
// it an entry that finds out which thread it is and where the arrays of its firing lie.

#include "codegen/device.h"

#include <cctype>

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/target.h"
#include "embedded/deviceFunctions.h"
#include "embedded/deviceLibrary.h"
#include "strc/device.h"

namespace strc::codegen {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";
constexpr const char* kProcessor =
    "sm_80";  ///< the oldest it runs on; the driver makes code for the one at hand
constexpr const char* kDeviceFeatures = "+ptx78";

std::unique_ptr<llvm::TargetMachine> nvidia(const Options& options) {
    [[maybe_unused]] static const bool isInitialized = [] {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
        return true;
    }();
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
    if (!target) return nullptr;
    llvm::TargetOptions how;
    how.AllowFPOpFusion = options.fastMath ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine(kTriple, kProcessor, kDeviceFeatures, how, llvm::Reloc::PIC_,
                                    std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

class DeviceModule {
public:
    DeviceModule(base::Context& context, types::TypeTable& types, const ir::Module& program,
                 const device::Offloaded& moved, const Options& how, Module::Impl& made)
        : parts(moved),
          options(how),

          m(context, types, program, moved.plan, options, made),
          b(m.context) {}

    void emit() {
        for (std::size_t k = 0; k < parts.kernels.size(); ++k) emitKernel(k);
        for (std::size_t k = 0; k < parts.persists.size(); ++k) emitPersistent(k);
        m.emitPending();
        defineTrap();
        renameMath();
    }

    /// A function that the toolkit does not have; or empty.
    std::string linkMath() {
        auto bitcode = llvm::parseBitcodeFile(
            llvm::MemoryBufferRef(llvm::StringRef(embedded::deviceFunctions().data(),
                                                  embedded::deviceFunctions().size()),
                                  "libdevice"),
            m.context);
        if (!bitcode) return llvm::toString(bitcode.takeError());
        (*bitcode)->setTargetTriple(kTriple);
        (*bitcode)->setDataLayout(m.module.getDataLayout());
        std::vector<std::string> needed;
        for (llvm::Function& function : m.module)
            if (function.isDeclaration() && function.getName().starts_with("__nv_"))
                needed.push_back(function.getName().str());
        if (llvm::Linker::linkModules(m.module, std::move(*bitcode),
                                      llvm::Linker::Flags::LinkOnlyNeeded))
            return "the functions of the toolkit cannot be linked";
        for (llvm::Function& function : m.module) {
            const bool isOurs = function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
            if (!function.isDeclaration() && !isOurs)
                function.setLinkage(llvm::GlobalValue::InternalLinkage);
        }
        for (const std::string& name : needed)
            if (m.module.getFunction(name)->isDeclaration())
                return "there is no '" + name.substr(5) + "' on a device";
        return {};
    }

private:
    // ---- entries

    void emitKernel(std::size_t index) {
        const device::FilterKernel& wanted = parts.kernels[index];
        llvm::Function* thread = emitThread(wanted.kernel, wanted.of);
        llvm::Function* entry = declareEntry(
            deviceSymbol(parts, index), {m.ptr(), m.i32(), m.i32()}, wanted.kernel.iterationCount,
            wanted.kernel.arrays.size(), wanted.kernel.team > 1);
        emitEntry(*entry, *thread, wanted.kernel);
    }

    /// `first` parameters, then the iterations of loops around, then arrays with the distance from firing to firing.
    llvm::Function* declareEntry(const std::string& symbol, std::vector<llvm::Type*> first,
                                 std::size_t trips, std::size_t arrays, bool isConvergent) {
        first.insert(first.end(), trips, m.i32());
        for (std::size_t k = 0; k < arrays; ++k) first.insert(first.end(), {m.ptr(), m.i64()});
        auto* entry = llvm::Function::Create(
            llvm::FunctionType::get(llvm::Type::getVoidTy(m.context), first, false),
            llvm::Function::ExternalLinkage, symbol, m.module);
        entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
        if (isConvergent) entry->setConvergent();
        markKernel(*entry);
        return entry;
    }

    void markKernel(llvm::Function& entry) {
        auto number = [&](int value) {
            return llvm::ConstantAsMetadata::get(b.getInt32(static_cast<std::uint32_t>(value)));
        };
        llvm::Metadata* row[] = {llvm::ValueAsMetadata::get(&entry),
                                 llvm::MDString::get(m.context, "kernel"), number(1)};
        m.module.getOrInsertNamedMetadata("nvvm.annotations")
            ->addOperand(llvm::MDNode::get(m.context, row));
    }

    llvm::Function* emitThread(const device::Kernel& kernel, graph::KernelId of) {
        const ir::Body& body = kernel.body;
        std::vector<llvm::Type*> parameters{m.ptr(), m.ptr(), m.ptr(), m.ptr(),
                                            m.i32(), m.i32(), m.ptr(), m.ptr()};
        for (std::uint32_t k = 0; k < body.params; ++k)
            parameters.push_back(m.registerType(body.locals[k].type));
        auto* thread = llvm::Function::Create(
            llvm::FunctionType::get(llvm::Type::getVoidTy(m.context), parameters, false),
            llvm::Function::InternalLinkage, "thread", m.module);
        thread->setDoesNotThrow();
        thread->addFnAttr(llvm::Attribute::AlwaysInline);
        if (kernel.team > 1) thread->setConvergent();
        const std::uint32_t first = body.params - static_cast<std::uint32_t>(kernel.arrays.size());
        for (std::uint32_t k = first; k < body.params; ++k) {
            // What other threads of the team write is no thread's own.
            if (kernel.team == 1 || !kernel.isWritten[k - first])
                thread->addParamAttr(kFirstArgument + k, llvm::Attribute::NoAlias);
            if (!kernel.isWritten[k - first])
                thread->addParamAttr(kFirstArgument + k, llvm::Attribute::ReadOnly);
        }
        KernelFunctions& owner =
            owners.emplace_back(std::make_unique<KernelFunctions>()).operator*();
        owner.kernel = &parts.plan.program->kernels[of];
        emitBody(m, owner, nullptr, body, *thread);
        return thread;
    }

    llvm::Value* special(llvm::Intrinsic::ID id) { return b.CreateIntrinsic(id, {}, {}); }

    /// for (firing = block.y; firing < firings; firing += blocks.y) the thread's part of it; or, if each firing is one thread's,
    /// for (firing = thread; firing < firings; firing += threads) all of it.
    void emitEntry(llvm::Function& entry, llvm::Function& thread, const device::Kernel& kernel) {
        const std::size_t trips = kernel.iterationCount, arrays = kernel.arrays.size();
        auto block = [&](const char* name) {
            return llvm::BasicBlock::Create(m.context, name, &entry);
        };
        llvm::BasicBlock *start = block("start"), *loop = block("firing"), *end = block("end"),
                         *inside = block("inside");
        b.SetInsertPoint(start);
        llvm::Value* size = special(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
        llvm::Value* number =
            b.CreateAdd(b.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x), size),
                        special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x));
        llvm::Value* threads =
            b.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), size);
        llvm::Value* first =
            kernel.isThreadEach ? number : special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y);
        llvm::Value* step =
            kernel.isThreadEach ? threads : special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y);
        if (kernel.isThreadEach) {
            number = b.getInt32(0);
            threads = b.getInt32(1);
        }
        b.CreateBr(loop);
        b.SetInsertPoint(loop);
        llvm::PHINode* firing = b.CreatePHI(m.i32(), 2);
        firing->addIncoming(first, start);
        b.CreateCondBr(b.CreateICmpULT(firing, entry.getArg(2)), inside, end);
        b.SetInsertPoint(inside);
        llvm::Value* none = llvm::ConstantPointerNull::get(m.ptr());
        std::vector<llvm::Value*> args{entry.getArg(0), none, none, none,   entry.getArg(1),
                                       b.getInt32(0),   none, none, number, threads};
        for (std::size_t k = 0; k < trips; ++k)
            args.push_back(entry.getArg(static_cast<unsigned>(3 + k)));
        llvm::Value* wide = b.CreateZExt(firing, m.i64());
        for (std::size_t k = 0; k < arrays; ++k) {
            const auto at = static_cast<unsigned>(3 + trips + 2 * k);
            args.push_back(
                b.CreateGEP(m.i8(), entry.getArg(at), b.CreateMul(wide, entry.getArg(at + 1))));
        }
        b.CreateCall(&thread, args);
        firing->addIncoming(b.CreateAdd(firing, step), b.GetInsertBlock());
        b.CreateBr(loop);
        b.SetInsertPoint(end);
        b.CreateRetVoid();
    }

    // ---- persistent kernels: loops whose stages are one kernel, with waits between them

    void emitPersistent(std::size_t index) {
        const device::Persist& all = parts.persists[index].kernel;
        std::vector<llvm::Function*> stages;
        for (const device::Stage& stage : all.stages) {
            stages.push_back(emitThread(stage.kernel, parts.persists[index].of));
            markConstant(*stages.back(), stage);
        }
        llvm::Function* entry =
            declareEntry(persistentSymbol(index), {m.ptr(), m.i32(), m.i32(), m.ptr()}, all.outer,
                         all.arrays.size(), true);
        emitIterations(*entry, all, stages);
    }

    /// Nobody writes it while the kernel is at work, so waits do not matter: loads may go in front of the loop, into registers.
    void markConstant(llvm::Function& thread, const device::Stage& stage) {
        const std::size_t first = thread.arg_size() - stage.isConstant.size();
        for (llvm::Instruction& instr : llvm::instructions(thread)) {
            auto* load = llvm::dyn_cast<llvm::LoadInst>(&instr);
            if (!load) continue;
            llvm::Value* at = load->getPointerOperand();
            while (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(at))
                at = place->getPointerOperand();
            auto* from = llvm::dyn_cast<llvm::Argument>(at);
            if (from && from->getArgNo() >= first && stage.isConstant[from->getArgNo() - first])
                load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                                  llvm::MDNode::get(m.context, {}));
        }
    }

    struct Threads {
        llvm::Value *number, *count;  ///< of the blocks that do a firing
    };

    Threads threadsOfRow() {
        llvm::Value* size = special(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
        llvm::Value* number =
            b.CreateAdd(b.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x), size),
                        special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x));
        return {number, b.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), size)};
    }

    /// for (i = 0; i < iterations; ++i) all stages, of firing block.y.
    void emitIterations(llvm::Function& entry, const device::Persist& all,
                        const std::vector<llvm::Function*>& stages) {
        auto block = [&](const char* name) {
            return llvm::BasicBlock::Create(m.context, name, &entry);
        };
        llvm::BasicBlock *start = block("start"), *loop = block("iteration"), *end = block("end");
        b.SetInsertPoint(start);
        const Threads threads = threadsOfRow();
        llvm::Value* firing =
            b.CreateZExt(special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y), m.i64());
        llvm::Value* barrier = b.CreateGEP(
            m.i8(), entry.getArg(3), b.CreateMul(firing, b.getInt64(sizeof(strc_device_barrier))));
        std::vector<llvm::Value*> arrays;
        for (std::size_t k = 0; k < all.arrays.size(); ++k) {
            const auto at = static_cast<unsigned>(4 + all.outer + 2 * k);
            arrays.push_back(
                b.CreateGEP(m.i8(), entry.getArg(at), b.CreateMul(firing, entry.getArg(at + 1))));
        }
        b.CreateBr(loop);
        b.SetInsertPoint(loop);
        llvm::PHINode* iteration = b.CreatePHI(m.i32(), 2);
        iteration->addIncoming(b.getInt32(0), start);
        for (std::size_t k = 0; k < stages.size(); ++k) {
            const device::Stage& stage = all.stages[k];
            emitStage(entry, stage, *stages[k], threads,
                      argumentsOf(entry, all, stage, iteration, arrays, threads));
            if (stage.waits) b.CreateCall(gridWait(), {barrier});
        }
        llvm::Value* next = b.CreateAdd(iteration, b.getInt32(1));
        iteration->addIncoming(next, b.GetInsertBlock());
        b.CreateCondBr(b.CreateICmpULT(next, b.getInt32(static_cast<std::uint32_t>(all.count))),
                       loop, end);
        b.SetInsertPoint(end);
        b.CreateRetVoid();
    }

    std::vector<llvm::Value*> argumentsOf(llvm::Function& entry, const device::Persist& all,
                                          const device::Stage& stage, llvm::Value* iteration,
                                          const std::vector<llvm::Value*>& arrays,
                                          const Threads& threads) {
        llvm::Value* none = llvm::ConstantPointerNull::get(m.ptr());
        std::vector<llvm::Value*> args{entry.getArg(0), none, none, none,           entry.getArg(1),
                                       b.getInt32(0),   none, none, threads.number, threads.count};
        const std::uint32_t trips = stage.kernel.iterationCount;
        for (std::uint32_t k = 0; k < trips; ++k)
            args.push_back(k + 1 == trips ? iteration : entry.getArg(4 + k));
        for (std::uint32_t which : stage.arrays) args.push_back(arrays[which]);
        STRC_ASSERT(trips == 0 || trips == all.outer + 1, "a stage of another loop");
        return args;
    }

    /// What one thread does is done by the first one.
    void emitStage(llvm::Function& entry, const device::Stage& stage, llvm::Function& thread,
                   const Threads& threads, const std::vector<llvm::Value*>& args) {
        if (stage.kernel.threads > 1) {
            b.CreateCall(&thread, args);
            return;
        }
        auto* first = llvm::BasicBlock::Create(m.context, "first", &entry);
        auto* rest = llvm::BasicBlock::Create(m.context, "rest", &entry);
        b.CreateCondBr(b.CreateICmpEQ(threads.number, b.getInt32(0)), first, rest);
        b.SetInsertPoint(first);
        b.CreateCall(&thread, args);
        b.CreateBr(rest);
        b.SetInsertPoint(rest);
    }

    /// void wait(barrier): all threads of the blocks with this block's y come here before any goes on, and see what all others have
    /// written (as cooperative groups do it, CUDA Programming Guide, "Grid Synchronization"). The last block to come counts up
    /// `passed`, for which the others wait.
    llvm::Function* gridWait() {
        constexpr const char* kName = "strc_grid_wait";
        if (llvm::Function* known = m.module.getFunction(kName)) return known;
        const llvm::IRBuilderBase::InsertPointGuard guard(b);
        auto* wait = llvm::Function::Create(
            llvm::FunctionType::get(llvm::Type::getVoidTy(m.context), {m.ptr()}, false),
            llvm::Function::InternalLinkage, kName, m.module);
        wait->setConvergent();
        wait->setDoesNotThrow();
        wait->addFnAttr(llvm::Attribute::NoInline);
        wait->addFnAttr(llvm::Attribute::WillReturn);
        auto block = [&](const char* name) {
            return llvm::BasicBlock::Create(m.context, name, wait);
        };
        llvm::BasicBlock *start = block("start"), *arrive = block("arrive"), *last = block("last"),
                         *poll = block("poll"), *seen = block("seen"), *end = block("end");
        llvm::Value *arrived = wait->getArg(0), *passed = nullptr;
        auto fence = [&] { b.CreateIntrinsic(llvm::Intrinsic::nvvm_membar_gl, {}, {}); };
        auto meet = [&] { b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); };
        auto look = [&] {
            llvm::LoadInst* load = b.CreateLoad(m.i32(), passed, true);
            load->setAlignment(llvm::Align(4));
            return load;
        };
        auto add = [&](llvm::Value* to) {
            return b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, to, b.getInt32(1), llvm::Align(4),
                                     llvm::AtomicOrdering::Monotonic);
        };
        b.SetInsertPoint(start);
        passed =
            b.CreateConstInBoundsGEP1_64(m.i8(), arrived, offsetof(strc_device_barrier, passed));
        meet();
        b.CreateCondBr(
            b.CreateICmpEQ(special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x), b.getInt32(0)),
            arrive, end);
        b.SetInsertPoint(arrive);
        llvm::Value* before = look();
        fence();
        llvm::Value* most =
            b.CreateSub(special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), b.getInt32(1));
        b.CreateCondBr(b.CreateICmpEQ(add(arrived), most), last, poll);
        b.SetInsertPoint(last);
        b.CreateStore(b.getInt32(0), arrived, true);
        fence();
        add(passed);
        b.CreateBr(seen);
        b.SetInsertPoint(poll);
        b.CreateCondBr(b.CreateICmpEQ(look(), before), poll, seen);
        b.SetInsertPoint(seen);
        fence();
        b.CreateBr(end);
        b.SetInsertPoint(end);
        meet();
        b.CreateRetVoid();
        return wait;
    }

    // ---- what kernels call

    /// The first check that fails leaves its mark (strc_device_env), and its thread ends.
    void defineTrap() {
        llvm::Function* trap = m.module.getFunction("strc_trap");
        if (!trap) return;
        trap->setLinkage(llvm::GlobalValue::InternalLinkage);
        auto block = [&](const char* name) {
            return llvm::BasicBlock::Create(m.context, name, trap);
        };
        llvm::BasicBlock *start = block("start"), *leave = block("mark"), *end = block("end");
        b.SetInsertPoint(start);
        auto field = [&](std::size_t offset) {
            return b.CreateConstInBoundsGEP1_64(m.i8(), trap->getArg(0), offset);
        };
        llvm::Value* pair = b.CreateAtomicCmpXchg(
            field(offsetof(strc_device_env, state)), b.getInt32(0), b.getInt32(1),
            llvm::MaybeAlign(4), llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
        b.CreateCondBr(b.CreateExtractValue(pair, 1), leave, end);
        b.SetInsertPoint(leave);
        b.CreateStore(trap->getArg(1), field(offsetof(strc_device_env, site)));
        b.CreateStore(trap->getArg(2), field(offsetof(strc_device_env, node)));
        for (unsigned k : {0u, 1u})
            b.CreateStore(trap->getArg(3 + k), field(offsetof(strc_device_env, numbers) + 8 * k));
        b.CreateStore(b.getInt32(2), field(offsetof(strc_device_env, state)));
        b.CreateBr(end);
        b.SetInsertPoint(end);
        auto* nothing = llvm::FunctionType::get(llvm::Type::getVoidTy(m.context), false);
        b.CreateCall(llvm::InlineAsm::get(nothing, "exit;", "", true));
        b.CreateUnreachable();
    }

    /// Functions of libm are those of the toolkit, by nearly the same names.
    void renameMath() {
        for (llvm::Function& function : m.module) {
            const bool isLibm = function.isDeclaration() && !function.isIntrinsic() &&
                                !function.getName().starts_with("__nv_");
            if (isLibm) function.setName("__nv_" + function.getName());
        }
    }

    const device::Offloaded& parts;
    const Options& options;
    ModuleBuilder m;
    llvm::IRBuilder<> b;
    std::vector<std::unique_ptr<KernelFunctions>> owners;
};

void optimizeForDevice(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager calls;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(calls);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, calls, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

std::string assembly(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::SmallVector<char, 0> text;
    llvm::raw_svector_ostream out(text);
    llvm::legacy::PassManager passes;
    const bool fails =
        machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
    STRC_ASSERT(!fails, "LLVM cannot print PTX");
    passes.run(module);
    return {text.begin(), text.end()};
}

}  // namespace

std::string whyNoDevice() {
    return embedded::deviceLibrary().empty() || embedded::deviceFunctions().empty()
               ? "this strc was built without the CUDA toolkit"
               : "";
}

std::string deviceSymbol(const device::Offloaded& parts, std::size_t index) {
    std::string name = "k" + std::to_string(index) + "_";
    for (char c : parts.kernels[index].kernel.name)
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

std::string persistentSymbol(std::size_t index) { return "p" + std::to_string(index); }

base::Result<DevicePart> lowerForDevice(base::Context& context, types::TypeTable& types,
                                        const ir::Module& program,
                                        std::shared_ptr<const device::Offloaded> parts,
                                        const Options& wanted) {
    if (std::string why = whyNoDevice(); !why.empty()) return base::Failure{why};
    Options options = wanted;
    options.onDevice = true;
    options.level = 1;
    options.debug = false;
    options.device = nullptr;
    auto machine = nvidia(options);
    if (!machine) return base::Failure{"this LLVM makes no code for NVIDIA's processors"};
    Module::Impl impl;
    impl.passes = &context.passes;
    impl.module = std::make_unique<llvm::Module>("strc", *impl.context);
    impl.module->setTargetTriple(kTriple);
    impl.module->setDataLayout(machine->createDataLayout());
    DeviceModule made(context, types, program, *parts, options, impl);
    made.emit();
    if (std::string why = made.linkMath(); !why.empty()) return base::Failure{why};
#ifdef STRC_CHECKED
    STRC_ASSERT(!llvm::verifyModule(*impl.module, &llvm::errs()), "malformed LLVM module");
#endif
    optimizeForDevice(*impl.module, *machine);
    DevicePart part;
    part.parts = std::move(parts);
    part.code = assembly(*impl.module, *machine);
    part.linked = embedded::deviceLibrary();
    part.sites = std::move(impl.sites);
    return part;
}

}  // namespace strc::codegen
