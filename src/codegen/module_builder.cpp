#include "codegen/detail/module_builder.h"

#include <algorithm>

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/transposes.h"
#include "codegen/detail/work_memory.h"
#include "codegen/stack_size.h"
#include "ir/apart_parameters.h"
#include "strc/runtime.h"

namespace strc::codegen {
namespace {

// ---- LLVM's view of the runtime's declarations

template <typename T>
llvm::Type* typeOf(llvm::LLVMContext& context) {
    if constexpr (std::is_void_v<T>)
        return llvm::Type::getVoidTy(context);
    else if constexpr (std::is_pointer_v<T>)
        return llvm::PointerType::getUnqual(context);
    else if constexpr (std::is_same_v<T, float>)
        return llvm::Type::getFloatTy(context);
    else if constexpr (std::is_same_v<T, double>)
        return llvm::Type::getDoubleTy(context);
    else
        return llvm::IntegerType::get(context, sizeof(T) * 8);
}

template <typename R, typename... P>
llvm::FunctionType* functionType(llvm::LLVMContext& context, R (*)(P...)) {
    return llvm::FunctionType::get(typeOf<R>(context), {typeOf<P>(context)...}, false);
}

llvm::FunctionType* runtimeType(llvm::LLVMContext& context, std::string_view name) {
#define STRC_RUNTIME_FUNCTION(result, function, parameters) \
    if (name == #function) return functionType(context, &function);
#include "strc/runtime_functions.def"
#undef STRC_RUNTIME_FUNCTION
    STRC_UNREACHABLE("no such function of the runtime");
}

bool neverReturns(std::string_view name) { return name == "strc_trap" || name == "strc_stop"; }

std::string print(const llvm::Function& function) {
    std::string text;
    llvm::raw_string_ostream out(text);
    function.print(out);
    return text;
}

/// Of those that compiled code calls; what is an instruction for LLVM is not among them.
bool isPure(std::string_view name) { return name == "strc_complex_arg"; }

/// Such a function is a piece of a phase, cut where one function would take long to compile.
bool callsMany(const ir::Body& body) {
    constexpr std::ptrdiff_t kMany = 24;
    std::ptrdiff_t calls = 0;
    for (const ir::Block& block : body.blocks)
        calls += std::count_if(block.instrs.begin(), block.instrs.end(),
                               [](const ir::Instr& instr) { return instr.op == ir::Op::Call; });
    return calls >= kMany;
}

/// Functions of its filter that a body calls, but for those of the other side of a branch that is likely.
void addLikelyCallees(const ir::Body& body, ir::BlockId id, std::vector<std::uint32_t>& found) {
    if (id == ir::kNone) return;
    for (const ir::Instr& instr : body.blocks[id].instrs) {
        if (instr.op == ir::Op::Call && instr.callee.kind == ir::CalleeKind::Stream)
            found.push_back(instr.callee.index);
        const bool isLikely = instr.op == ir::Op::If && instr.flag;
        for (std::size_t k = 0; k < (isLikely ? 1 : instr.blocks.size()); ++k)
            addLikelyCallees(body, instr.blocks[k], found);
    }
}

/// Of blocks, and of chunks and partitions in which threads do the same.
std::set<std::uint32_t> functionsThatRunOften(const elab::Kernel& kernel, const plan::Plan& plan) {
    std::set<std::uint32_t> often;
    std::vector<const ir::Body*> todo{&kernel.blocks->work};
    auto addParts = [&](const std::vector<plan::Step>& steps) {
        for (const plan::Step& step : steps)
            if (step.kind == plan::StepKind::Part && often.insert(step.port).second)
                todo.push_back(&kernel.code.functions[step.port]);
    };
    if (plan.chunk)
        for (const plan::Segment& segment : plan.chunk->segments) addParts(segment.steps);
    if (plan.partitioning) {
        addParts(plan.partitioning->begin);
        addParts(plan.partitioning->end);
        for (const plan::Partition& each : plan.partitioning->partitions) addParts(each.steps);
    }
    while (!todo.empty()) {
        const ir::Body& body = *todo.back();
        todo.pop_back();
        std::vector<std::uint32_t> callees;
        addLikelyCallees(body, body.entry, callees);
        for (std::uint32_t callee : callees)
            if (often.insert(callee).second) todo.push_back(&kernel.code.functions[callee]);
    }
    return often;
}

/// Instructions of all that is inlined into phases where it is called.
constexpr std::size_t kInlined = 8000;

std::size_t inlinedSize(const llvm::Function& function) {
    return std::size_t{function.getInstructionCount()} * function.getNumUses();
}

/// What does not run in blocks, unless vectors give up, is neither inlined nor made long.
void limitRare(const KernelFunctions& made, const plan::Plan& plan) {
    const std::set<std::uint32_t> often = functionsThatRunOften(*made.kernel, plan);
    auto limit = [](llvm::Function* function, llvm::Attribute::AttrKind how) {
        if (!function) return;
        function->addFnAttr(llvm::Attribute::NoInline);
        function->addFnAttr(how);
    };
    for (llvm::Function* phase : {made.work, made.prework})
        limit(phase, llvm::Attribute::OptimizeNone);
    std::size_t size = 0;
    auto isOfLanes = [](const llvm::Function* function) {
        return function && function->getReturnType()->isIntegerTy(1);
    };
    const std::optional<elab::Drain>& drain = made.kernel->drain;
    for (std::uint32_t k = 0; k < made.functions.size(); ++k) {
        if (drain && (k == drain->init || k == drain->steady))
            limit(made.functions[k], llvm::Attribute::OptimizeNone);
        else if (!often.contains(k))
            limit(made.functions[k], llvm::Attribute::OptimizeForSize);
        else if (isOfLanes(made.functions[k]))
            size += inlinedSize(*made.functions[k]);
    }
    for (llvm::Function* function : made.functions)
        if (size > kInlined && isOfLanes(function)) function->addFnAttr(llvm::Attribute::NoInline);
}

/// Transposes that would make phases long where they are called stay functions.
void limitTransposes(llvm::Module& module) {
    constexpr std::size_t kMost = 2000;
    auto each = [&](auto take) {
        for (llvm::Function& function : module)
            if (function.getName().starts_with(kTransposition)) take(function);
    };
    std::size_t size = 0;
    each([&](llvm::Function& function) { size += inlinedSize(function); });
    if (size > kMost)
        each([](llvm::Function& function) { function.addFnAttr(llvm::Attribute::NoInline); });
}

/// A branch that is read can lie on the tape that is written (of a feedback loop), at another place.
void markTapes(llvm::Function& function, const KernelFunctions& owner) {
    function.addParamAttr(kIn, llvm::Attribute::NoAlias);
    if (!owner.dealtIn) function.addParamAttr(kOut, llvm::Attribute::NoAlias);
}

}  // namespace

ModuleBuilder::ModuleBuilder(base::Context& told, types::TypeTable& table,
                             const ir::Module& program, const plan::Plan& plan,
                             const Options& options, Module::Impl& impl)
    : limits(told.limits),
      passes(told.passes),
      types(table),
      program(program),
      plan(plan),
      options(options),
      context(*impl.context),
      module(*impl.module),
      debug(options.debug ? std::make_unique<DebugInfo>(told.sources, plan, options, module)
                          : nullptr),
      mathFunctions(*this, impl),
      messages(*this),
      impl(impl) {
    for (const elab::Kernel& each : plan.program->kernels)
        for (const ir::Body* body : ir::bodiesThatNest(program, each.code)) nesting.insert(body);
}

llvm::Type* ModuleBuilder::registerType(const Type* type) {
    switch (type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit: return llvm::Type::getInt1Ty(context);
        case TypeKind::Char: return i8();
        case TypeKind::Int:
        case TypeKind::Portal: return i32();
        case TypeKind::Long: return i64();
        case TypeKind::Int8: return i8();
        case TypeKind::Half:
        case TypeKind::BFloat16: return llvm::Type::getInt16Ty(context);  // its bits
        case TypeKind::Float: return llvm::Type::getFloatTy(context);
        case TypeKind::Double: return llvm::Type::getDoubleTy(context);
        case TypeKind::Complex:
            return llvm::FixedVectorType::get(llvm::Type::getFloatTy(context), 2);
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4:
            return llvm::FixedVectorType::get(llvm::Type::getFloatTy(context),
                                              static_cast<unsigned>(type->components()));
        case TypeKind::String:
        case TypeKind::Array:
        case TypeKind::Struct: return ptr();
        case TypeKind::Vector: {
            const auto lanes = static_cast<unsigned>(type->extent);
            if (type->element->is(TypeKind::Complex))
                return llvm::FixedVectorType::get(llvm::Type::getFloatTy(context), 2 * lanes);
            return llvm::FixedVectorType::get(registerType(type->element), lanes);
        }
        case TypeKind::Void: return llvm::Type::getVoidTy(context);
        case TypeKind::Tensor:
        case TypeKind::Error: break;
    }
    STRC_UNREACHABLE("a type without values");
}

llvm::Type* ModuleBuilder::memoryType(const Type* type) {
    const Type* scalar = types::laneType(type);
    if (scalar->is(TypeKind::Boolean) || scalar->is(TypeKind::Bit))
        return registerType(type)->getWithNewType(i8());
    return registerType(type);
}

llvm::Value* ModuleBuilder::load(llvm::IRBuilder<>& b, const Type* type, llvm::Value* at) {
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    llvm::Value* value = b.CreateAlignedLoad(memoryType(type), at, align);
    llvm::Type* inRegister = registerType(type);
    return value->getType() == inRegister ? value : b.CreateTrunc(value, inRegister);
}

void ModuleBuilder::store(llvm::IRBuilder<>& b, const Type* type, llvm::Value* at,
                          llvm::Value* value) {
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    llvm::Type* inMemory = memoryType(type);
    if (value->getType() != inMemory) value = b.CreateZExt(value, inMemory);
    b.CreateAlignedStore(value, at, align);
}

llvm::Constant* ModuleBuilder::constant(const types::Value& value) {
    const Type* type = value.type;
    llvm::Type* to = registerType(type);
    auto real = [&](std::size_t at) {
        float part = 0;
        std::memcpy(&part, value.bytes.data() + at, sizeof part);
        return llvm::ConstantFP::get(context, llvm::APFloat(part));
    };
    switch (type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
        case TypeKind::Int8:
        case TypeKind::Char:
            return llvm::ConstantInt::get(to, static_cast<std::uint8_t>(value.bytes[0]));
        case TypeKind::Int:
        case TypeKind::Portal:
            return llvm::ConstantInt::get(to, static_cast<std::uint32_t>(value.as<std::int32_t>()));
        case TypeKind::Half:
        case TypeKind::BFloat16: return llvm::ConstantInt::get(to, value.as<std::uint16_t>());
        case TypeKind::Long:
            return llvm::ConstantInt::get(to, static_cast<std::uint64_t>(value.as<std::int64_t>()));
        case TypeKind::Float: return real(0);
        case TypeKind::Double:
            return llvm::ConstantFP::get(context, llvm::APFloat(value.as<double>()));
        case TypeKind::Complex:
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4: {
            std::vector<llvm::Constant*> parts;
            for (std::size_t k = 0; k < value.bytes.size(); k += sizeof(float))
                parts.push_back(real(k));
            return llvm::ConstantVector::get(parts);
        }
        case TypeKind::String: return text(value.bytes);
        default: STRC_UNREACHABLE("not a scalar constant");
    }
}

llvm::Constant* ModuleBuilder::bytes(const std::string& data) {
    llvm::Constant*& made = contents[data];
    if (made) return made;
    auto* initial = llvm::ConstantDataArray::getString(context, data, false);
    auto* global = new llvm::GlobalVariable(module, initial->getType(), true,
                                            llvm::GlobalValue::PrivateLinkage, initial, "data");
    global->setAlignment(llvm::Align(64));
    return made = global;
}

/// Large, and never a constant of this module while it is optimised.
const StoredSymbol& ModuleBuilder::storedSymbol(const ir::StoredArray& array) {
    const std::int64_t size = types::sizeOf(array.type);
    auto [found, isNew] =
        impl.storedSymbols.try_emplace({array.bytes.get(), size}, impl.stored.size());
    if (!isNew) return impl.stored[found->second];
    const bool isPointer = options.mapsWeights && array.isInFile;
    const std::string name = "strc_stored_" + std::to_string(impl.stored.size());
    llvm::Type* type = ptr();
    if (!isPointer) type = llvm::ArrayType::get(i8(), static_cast<std::uint64_t>(size));
    auto* global =
        new llvm::GlobalVariable(module, type, !isPointer, llvm::GlobalValue::ExternalLinkage,
                                 isPointer ? llvm::Constant::getNullValue(type) : nullptr, name);
    global->setAlignment(llvm::Align(
        isPointer ? sizeof(void*) : static_cast<std::uint64_t>(types::alignOf(array.type))));
    if (isPointer) global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    impl.stored.push_back({name, array, isPointer});
    return impl.stored.back();
}

llvm::Value* ModuleBuilder::stored(llvm::IRBuilder<>& b, const ir::StoredArray& array) {
    const StoredSymbol& symbol = storedSymbol(array);
    llvm::GlobalVariable* global = module.getNamedGlobal(symbol.symbol);
    if (!symbol.isPointer) return global;
    llvm::LoadInst* place = b.CreateLoad(ptr(), global);
    place->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
    return place;
}

llvm::Constant* ModuleBuilder::text(const std::string& string) {
    llvm::Constant* size = llvm::ConstantInt::get(i64(), string.size());
    auto* initial = llvm::ConstantStruct::getAnon({size, bytes(string)});
    auto* global = new llvm::GlobalVariable(module, initial->getType(), true,
                                            llvm::GlobalValue::PrivateLinkage, initial, "text");
    return global;
}

llvm::FunctionCallee ModuleBuilder::runtime(std::string_view name) {
    llvm::FunctionCallee callee =
        module.getOrInsertFunction(std::string(name), runtimeType(context, name));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    if (neverReturns(name)) {
        function->setDoesNotReturn();
        function->addFnAttr(llvm::Attribute::Cold);
    }
    if (isPure(name)) {
        function->setDoesNotAccessMemory();
        function->setWillReturn();
    }
    return callee;
}

llvm::CallInst* ModuleBuilder::callLibm(llvm::IRBuilder<>& b, std::string_view name,
                                        llvm::ArrayRef<llvm::Value*> args) {
    std::vector<llvm::Type*> parameters(args.size(), llvm::Type::getDoubleTy(context));
    auto callee = module.getOrInsertFunction(
        std::string(name),
        llvm::FunctionType::get(llvm::Type::getDoubleTy(context), parameters, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->setWillReturn();
    llvm::CallInst* call = b.CreateCall(callee, args);
    call->addFnAttr(llvm::Attribute::NoBuiltin);
    return call;
}

llvm::Constant* ModuleBuilder::constantData(llvm::Constant* made, const char* name) {
    return new llvm::GlobalVariable(module, made->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, made, name);
}

int ModuleBuilder::site(Site made) {
    impl.sites.push_back(std::move(made));
    return static_cast<int>(impl.sites.size()) - 1;
}

int ModuleBuilder::lap(const plan::TimedSteps& steps) {
    auto [known, isNew] = laps.try_emplace(steps, static_cast<int>(impl.timedSteps.size()));
    if (isNew) impl.timedSteps.push_back(steps);
    return known->second;
}

const plan::WorkEstimate& ModuleBuilder::workEstimate() {
    if (!estimate) estimate.emplace(plan::firingProgram(plan));
    return *estimate;
}

// ---- bodies

llvm::Function* ModuleBuilder::declare(const std::string& name, KernelFunctions& owner,
                                       const ir::StreamCode* code, const ir::Body& body) {
    bool isFunction = body.kind == ir::BodyKind::Function || body.kind == ir::BodyKind::Handler;
    std::vector<llvm::Type*> parameters{ptr(), ptr(), ptr(), ptr(), i32(), i32()};
    if (isFunction) parameters.insert(parameters.end(), 2, ptr());
    for (std::uint32_t k = 0; k < body.params; ++k)
        parameters.push_back(registerType(body.locals[k].type));
    bool hasValue = body.result && body.result->isScalar();
    llvm::Type* result = hasValue ? registerType(body.result) : llvm::Type::getVoidTy(context);
    auto* function = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                            llvm::Function::InternalLinkage, name, module);
    function->setDoesNotThrow();
    function->addParamAttr(kEnv, llvm::Attribute::NoAlias);
    if (!isFunction) function->addParamAttr(kFields, llvm::Attribute::NoAlias);
    if (!isFunction && !codegen::isDynamic(*owner.kernel)) markTapes(*function, owner);
    if (callsMany(body)) function->addFnAttr(llvm::Attribute::NoInline);
    pending.push_back({function, &owner, code, &body});
    return function;
}

KernelFunctions& ModuleBuilder::kernel(graph::KernelId id, bool dealtIn, bool dealtOut) {
    KernelFunctions& made = kernels[{id, dealtIn, dealtOut}];
    if (made.kernel) return made;
    made.dealtIn = dealtIn;
    made.dealtOut = dealtOut;
    made.kernel = &plan.program->kernels[id];
    const ir::StreamCode& code = made.kernel->code;
    std::string name = code.name.empty() ? "filter" : code.name;
    made.functions.resize(code.functions.size());
    made.work = declare(name + ".work", made, &code, *code.work);
    if (code.prework) made.prework = declare(name + ".prework", made, &code, *code.prework);
    if (code.startsLate) made.start.push_back(declare(name + ".setup", made, &code, code.setup));
    if (code.init) made.start.push_back(declare(name + ".init", made, &code, *code.init));
    return made;
}

unsigned ModuleBuilder::needVectorWidth(KernelFunctions& made, std::int64_t firings) {
    if (options.level < 2 || plan.tapes == plan::Tapes::Ring) return 0;
    const elab::Kernel& kernel = *made.kernel;
    const bool isDealt = made.dealtIn || made.dealtOut;
    if (kernel.blocks && !isDealt && firings >= kernel.blocks->firings) {
        const auto width = static_cast<unsigned>(kernel.blocks->firings);
        llvm::Function*& function = made.vectorWork[width];
        if (!function)
            function = declare(made.work->getName().str() + ".blocks", made, &kernel.code,
                               kernel.blocks->work);
        return width;
    }
    const bool hasPorts = !kernel.code.inputFields.empty() || !kernel.code.outputFields.empty();
    if (hasPorts) return 0;  // whose fields are another firing's then
    if (!made.varying) {
        prepareFirings(*this, made);
        passes.show(base::Pass::VectoriseFirings, made.work->getName().str(),
                    [&] { return ir::print(made.firing(), *made.varying); });
        made.widths =
            vector::widthsOf({.input = kernel.input, .output = kernel.output, .rates = kernel.work},
                             made.firing(), *made.varying);
    }
    const unsigned width = vector::bestWidth(made.widths, firings);
    if (width == 0) return 0;
    if (made.vectorWork.contains(width)) return width;
    if (!base::PassRun(passes, base::Pass::VectoriseFirings, made.work->getName().str())) {
        made.widths.clear();
        return 0;
    }
    made.vectorWork[width] = declareVectorised(".lanes", made, {VectorVariant::Whole, width});
    return width;
}

llvm::Function* ModuleBuilder::declareVectorised(const std::string& suffix, KernelFunctions& made,
                                                 const VariantShape& shape) {
    const bool fires = shape.which == VectorVariant::Whole ||
                       shape.which == VectorVariant::Transposed ||
                       shape.which == VectorVariant::Soa;
    llvm::FunctionType* type = llvm::FunctionType::get(
        fires ? llvm::Type::getInt1Ty(context) : llvm::Type::getVoidTy(context),
        made.work->getFunctionType()->params(), false);
    auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                            made.work->getName() + suffix, module);
    function->setDoesNotThrow();
    for (unsigned k : {kEnv, kFields}) function->addParamAttr(k, llvm::Attribute::NoAlias);
    markTapes(*function, made);
    const ir::StreamCode& code = made.kernel->code;
    pending.push_back({function, &made, &code, &*code.work, shape});
    return function;
}

/// What each lane looks at somewhere else is not looked for in columns.
bool ModuleBuilder::takesTransposed(const KernelFunctions& made) const {
    if (made.dealtIn || made.kernel->blocks) return false;
    for (const ir::Block& block : made.kernel->code.work->blocks)
        for (const ir::Instr& instr : block.instrs)
            if (instr.op == ir::Op::Peek && made.varying->regs[instr.operands[0]]) return false;
    return made.state.empty();
}

llvm::Function* ModuleBuilder::variant(KernelFunctions& made, const VariantShape& shape) {
    static const std::map<VectorVariant, std::string> suffixes{
        {VectorVariant::Transposed, ".turned"},
        {VectorVariant::Transpose, ".turn"},
        {VectorVariant::Soa, ".columns"},
        {VectorVariant::TransposeBack, ".back"}};
    llvm::Function*& function = made.variants[shape];
    if (!function) function = declareVectorised(suffixes.at(shape.which), made, shape);
    return function;
}

namespace {

/// Parameters that are refs to memory of their own.
void markApart(KernelFunctions& made, std::uint32_t function) {
    if (made.apart.empty()) {
        const ir::StreamCode& code = made.kernel->code;
        std::vector<const ir::Body*> callers{&code.setup};
        for (const std::optional<ir::Body>* body : {&code.init, &code.prework, &code.work})
            if (*body) callers.push_back(&**body);
        if (made.kernel->blocks) callers.push_back(&made.kernel->blocks->work);
        made.apart = ir::apartParameters(code.functions, callers);
    }
    const std::vector<bool>& apart = made.apart[function];
    for (unsigned k = 0; k < apart.size(); ++k)
        if (apart[k])
            made.functions[function]->addParamAttr(kFirstArgument + k, llvm::Attribute::NoAlias);
}

}  // namespace

llvm::Function* ModuleBuilder::callee(KernelFunctions& from, const ir::Callee& callee) {
    bool isPackage = callee.kind == ir::CalleeKind::Package;
    KernelFunctions& owner = isPackage ? packages : from;
    if (isPackage && owner.functions.empty()) owner.functions.resize(program.functions.size());
    STRC_ASSERT(callee.hasBody(), "there is nothing to compile");
    llvm::Function*& function = owner.functions[callee.index];
    if (function) return function;
    const ir::Body& body = calleeBody(from, callee);
    function = declare(body.name, owner, isPackage ? nullptr : &from.kernel->code, body);
    if (!isPackage) markApart(from, callee.index);
    return function;
}

const ir::Body& ModuleBuilder::calleeBody(const KernelFunctions& from,
                                          const ir::Callee& callee) const {
    static const ir::StreamCode none;  // functions of packages call such functions alone
    return ir::calleeBody(program, from.kernel ? from.kernel->code : none, callee);
}

std::set<const ir::Body*> ModuleBuilder::calledBy(const KernelFunctions& from,
                                                  const ir::Body& start) const {
    std::set<const ir::Body*> seen;
    std::vector<const ir::Body*> todo{&start};
    while (!todo.empty()) {
        const ir::Body* body = todo.back();
        todo.pop_back();
        for (const ir::Callee& callee : ir::calleesOf(*body)) {
            const ir::Body* next = &calleeBody(from, callee);
            if (seen.insert(next).second) todo.push_back(next);
        }
    }
    return seen;
}

bool ModuleBuilder::isRecursive(const KernelFunctions& from, const ir::Callee& callee) {
    const ir::Body& body = calleeBody(from, callee);
    auto [known, isNew] = recursive.try_emplace(&body, false);
    if (isNew) known->second = calledBy(from, body).contains(&body);
    return known->second;
}

/// A filter with dynamic rates has others fire while it does. Arrays beyond the limit are asked for on the stack, where they are
/// refused.
bool ModuleBuilder::isOnStack(const ir::Body& body) const {
    const bool isTooLarge = static_cast<std::uint64_t>(bytesOfArrays(body)) > limits.totalBytes;
    return plan.demand || options.onDevice || isTooLarge || nesting.contains(&body);
}

bool ModuleBuilder::makesStrings(const KernelFunctions& from, const ir::Body& body) {
    auto [known, isNew] = stringMakers.try_emplace(&body, false);
    if (!isNew) return known->second;
    std::set<const ir::Body*> bodies = calledBy(from, body);
    bodies.insert(&body);
    auto makes = [this](const ir::Instr& instr) { return ir::makesString(program, instr); };
    return known->second = std::any_of(bodies.begin(), bodies.end(), [&](const ir::Body* each) {
               return std::any_of(each->blocks.begin(), each->blocks.end(), [&](const auto& block) {
                   return std::any_of(block.instrs.begin(), block.instrs.end(), makes);
               });
           });
}

void ModuleBuilder::limitVectors() {
    limitTransposes(module);
    std::size_t size = 0;
    auto each = [this](auto take) {
        for (auto& [id, made] : kernels)
            for (auto& [width, function] : made.vectorWork) take(*function);
        for (auto& [id, made] : kernels)
            for (auto& [key, function] : made.variants) take(*function);
    };
    each([&](llvm::Function& function) { size += inlinedSize(function); });
    if (size > kInlined)
        each([](llvm::Function& function) { function.addFnAttr(llvm::Attribute::NoInline); });
    for (auto& [id, made] : kernels) {
        const bool hasLanes = !made.vectorWork.empty() || !made.variants.empty();
        if (!hasLanes || made.firesAlone) continue;
        made.work->addFnAttr(llvm::Attribute::NoInline);
        // A phase of a program that has been lowered to one filter, if it has state: what it calls is optimised.
        if (made.kernel->blocks && made.kernel->stateSize > 0)
            limitRare(made, plan);
        else
            made.work->addFnAttr(llvm::Attribute::OptimizeForSize);
    }
}

void ModuleBuilder::emitPending() {
    while (!pending.empty() && !options.isInterrupted()) {
        const Pending next = pending.back();
        pending.pop_back();
        const bool isUnused = next.shape.width != 0 && next.shape.which == VectorVariant::Whole &&
                              next.function->use_empty();
        if (!isUnused) {
            emit(next);
            continue;
        }
        next.kernel->vectorWork.erase(next.shape.width);  // variants are what steps call
        next.function->eraseFromParent();
    }
}

void ModuleBuilder::emit(const Pending& next) {
    const ir::Body* body = next.body;
    if (next.shape.width == 0) {
        const std::string name = next.function->getName().str();
        if (std::optional<ir::Body> made = vectoriseLoops(*this, *next.kernel, *body, name))
            body = &inVectors.emplace_back(std::move(*made));
        emitBody(*this, *next.kernel, next.code, *body, *next.function);
    } else {
        base::Timing timing(passes, base::Pass::VectoriseFirings);
        VariantBody made = makeVariant(*this, *next.kernel, next.shape);
        body = &inVectors.emplace_back(std::move(made.body));
        emitVariant(*this, *next.kernel, *body, made.arguments, *next.function);
        passes.show(base::Pass::VectoriseFirings, next.function->getName().str(),
                    [&] { return print(*next.function); });
    }
    if (!isOnStack(*body)) markForWork(*next.function);
}

}  // namespace strc::codegen
