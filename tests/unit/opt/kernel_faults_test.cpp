// Wrong versions of the passes over kernels (unit/opt/faults.h), from IR text. The filter alone is run by the interpreter.
#include <cstring>

#include <gmock/gmock.h>

#include "golden/golden.h"
#include "interp/machine.h"
#include "ir/text.h"
#include "opt/registry.h"
#include "opt/run_on_text.h"
#include "pass/verify.h"
#include "tensor/expand.h"
#include "unit/opt/faults.h"

namespace strc::faults {
namespace {

using base::Pass;

/// The first filter of a text, and what is wrong in the text of its code after the pass: a regular expression and what
/// stands there instead.
struct KernelFault {
    Pass pass;
    std::string from, to;
    struct {
        std::int64_t pop = 1, peek = 1, push = 1;
    } rates = {};
    std::string text = {};  ///< empty: that of the golden test
};
void PrintTo(const KernelFault& fault, std::ostream* out) { *out << base::info(fault.pass).name; }

/// A text of a work function from `type` to `type`.
std::string filterText(const std::string& type, const std::string& work,
                       const std::string& functions = "") {
    return "filter F " + type + "->" + type + " {\n    setup {\n    }\n    work {\n" + work +
           "    }\n" + functions + "}\n";
}

/// The one of the golden test, which only looks at its items, with their end.
std::string transform() {
    const std::string text = test::read(golden::folder() / "opt" / "tabulate.in.ir");
    return brokenText(text, "    \\}\n\\}\n$",
                      "        discard<float>\n        discard<float>\n        discard<float>\n    "
                      "    discard<float>\n    }\n}\n");
}

std::vector<KernelFault> kernelFaults() {
    return {
        {Pass::Fold,
         "const 12",
         "const 7",
         {1, 1, 1},
         filterText("int",
                    "%0: int = pop\n %1: int = const 3\n %2: int = const 4\n %3: int = mul "
                    "%1, %2\n %4: int = add %0, %3\n push<int> %4\n")},
        {Pass::Inline,
         "store<int> local a, %0",
         "store<int> local b, %0",
         {2, 2, 1},
         filterText("int",
                    "%0: int = pop\n %1: int = pop\n %2: int = call stream less(%0, %1)\n "
                    "push<int> %2\n",
                    "function less(a: int, b: int) -> int {\n %0: int = load local a\n %1: int = "
                    "load local b\n %2: int = sub %0, %1\n return %2\n }\n")},
        {Pass::Tabulate, "%37: int = const 4", "%37: int = const 3", {4, 4, 4}, transform()},
        {Pass::UnrollTensors, "push<int> %11", "push<int> %4", {2, 2, 2}},
        {Pass::ForwardTensors, "%6: tensor<float>\\[3\\] = load local y",
         "%6: tensor = tensor neg %0"},
        {Pass::AlgebraicSimplification, "push<tensor<float>\\[3\\]> %8",
         "push<tensor<float>[3]> %0"},
        {Pass::TensorCse,
         "mul %2, %2",
         "mul %2, %4",
         {2, 2, 1},
         filterText("tensor<float>[3]",
                    "%0: tensor<float>[3] = pop\n %1: tensor<float>[3] = pop\n %2: tensor = tensor "
                    "add %0, %1\n %3: tensor = tensor add %0, %1\n %4: tensor = tensor sub %0, "
                    "%1\n %5: tensor = tensor mul %2, %3\n %6: tensor = tensor mul %4, %5\n "
                    "push<tensor<float>[3]> %6\n")},
        {Pass::CoalesceParts, "push<tensor<float>\\[4\\]> %9", "push<tensor<float>[4]> %0"},
        {Pass::FoldNorms, "matmul %0, %13", "matmul %0, %6"},
        {Pass::FoldTensors, "mul %0, %4", "mul %0, %0"},
        {Pass::BatchTiling, "%18: int = const 2", "%18: int = const 1"},
    };
}

/// The items -5, 2, -2, 5, 1, …: as ints or floats, also within arrays.
class SmallNumbers : public io::ItemReader {
public:
    explicit SmallNumbers(const types::Type* item)
        : isFloat(types::innermost(item)->is(types::TypeKind::Float)),
          numbers(static_cast<std::size_t>(types::sizeOf(item)) / 4) {}
    base::Result<std::size_t> read(std::byte* to, std::size_t count) override {
        for (std::size_t k = 0; k < count * numbers; ++k, to += 4) {
            const std::int32_t number = ++given * 7 % 11 - 5;
            const auto real = static_cast<float>(number);
            std::memcpy(to, isFloat ? static_cast<const void*>(&real) : &number, 4);
        }
        return count;
    }
    bool rewind() override { return false; }

private:
    bool isFloat;
    std::size_t numbers;
    std::int32_t given = 0;
};

/// Numbers as text; that a zero has a sign does not show.
class PrintedNumbers : public io::ItemWriter {
public:
    explicit PrintedNumbers(const types::Type* item)
        : isFloat(types::innermost(item)->is(types::TypeKind::Float)),
          numbers(static_cast<std::size_t>(types::sizeOf(item)) / 4) {}
    base::Status write(const std::byte* from, std::size_t count) override {
        for (std::size_t k = 0; k < count * numbers; ++k, from += 4) {
            std::int32_t number = 0;
            float real = 0;
            std::memcpy(isFloat ? static_cast<void*>(&real) : &number, from, 4);
            text += (isFloat ? std::to_string(real + 0.0F) : std::to_string(number)) + "\n";
        }
        return base::ok();
    }
    base::Status flush() override { return base::ok(); }
    base::Status close() override { return base::ok(); }
    bool readerGone() const override { return false; }

    std::string text;

private:
    bool isFloat;
    std::size_t numbers;
};

class KernelFaults : public ::testing::TestWithParam<KernelFault> {
protected:
    elab::Kernel parsed() {
        const KernelFault& fault = GetParam();
        const std::string name(base::info(fault.pass).name);
        const std::string text = fault.text.empty()
                                     ? test::read(golden::folder() / "opt" / (name + ".in.ir"))
                                     : fault.text;
        auto read = ir::parse(text, types, base.names);
        EXPECT_TRUE(read) << read.error();
        elab::Kernel kernel = opt::kernelOf(std::move(read->streams[0]));
        for (ir::StoredArray& array : kernel.code.stored) array.bytes = numbersOf(array.type);
        kernel.work.pop = graph::fixedRate(fault.rates.pop);
        kernel.work.peek = graph::fixedRate(fault.rates.peek);
        kernel.work.push = graph::fixedRate(fault.rates.push);
        return kernel;
    }
    /// The text of an array does not say what it holds.
    static std::shared_ptr<const std::byte> numbersOf(const types::Type* array) {
        std::shared_ptr<std::byte[]> bytes(
            new std::byte[static_cast<std::size_t>(types::sizeOf(array))]);
        EXPECT_TRUE(SmallNumbers(array).read(bytes.get(), 1));
        return {bytes, bytes.get()};
    }

    elab::Kernel afterThePass() {
        elab::Kernel kernel = parsed();
        const pass::Row& row = opt::passTable()[static_cast<std::size_t>(GetParam().pass)];
        const pass::Context context{base, module, types, options, target};
        EXPECT_TRUE(row.onKernel(context, kernel)) << "it has something to do";
        return kernel;
    }
    elab::Kernel afterTheWrongPass() {
        elab::Kernel kernel = afterThePass();
        const std::string text = brokenText(ir::print(kernel.code), GetParam().from, GetParam().to);
        auto read = ir::parse(text, types, base.names);
        EXPECT_TRUE(read) << read.error() << "\n" << text;
        read->streams[0].stored = std::move(kernel.code.stored);
        kernel.code = std::move(read->streams[0]);
        return kernel;
    }

    /// A program of that filter alone, whose two ends are open.
    pass::Program programOf(elab::Kernel kernel) {
        elab::Elaboration made;
        made.graph.edges.resize(2);
        made.graph.edges[0].to = made.graph.edges[1].from = 0;
        made.graph.edges[0].type = memoryOf(kernel.input);
        made.graph.edges[1].type = memoryOf(kernel.output);
        made.graph.input = 0;
        made.graph.output = 1;
        graph::Node node;
        node.name = "F";
        node.kernel = 0;
        node.work = kernel.work;
        node.inputs = {0};
        node.outputs = {1};
        made.graph.nodes.push_back(std::move(node));
        made.states.push_back(std::make_shared<const std::string>());
        made.kernels.push_back(std::move(kernel));
        return {std::make_shared<const elab::Elaboration>(std::move(made)), {{0}, {1}, {0}, 1}};
    }
    const types::Type* memoryOf(const types::Type* item) {
        return item->is(types::TypeKind::Tensor) ? tensor::storageOf(item, types) : item;
    }

    /// What 20 firings give, or why it is not well formed.
    std::string outputOf(const elab::Kernel& kernel) {
        const std::vector<std::string> faults = pass::verify(module, programOf(kernel));
        if (!faults.empty()) return faults.front();
        elab::Kernel expanded = kernel;
        if (tensor::usesTensors(expanded.code)) expand(expanded);
        const pass::Program program = programOf(std::move(expanded));
        SmallNumbers reader(program.graph().edges[0].type);
        PrintedNumbers writer(program.graph().edges[1].type);
        interp::Options how;
        how.iterations = 20;
        how.input = &reader;
        how.output = &writer;
        const auto outcome =
            interp::run(base, module, *program.elaboration, program.repetitions, types, how);
        EXPECT_EQ(outcome.end, interp::End::Iterations);
        return writer.text;
    }
    void expand(elab::Kernel& kernel) {
        const auto fault = tensor::expandWork(
            kernel.code, {{}, sequenceOf(kernel.input), {kernel.tensors, kernel.storedTensors, {}}},
            {memoryOf(kernel.input), memoryOf(kernel.output)}, types);
        EXPECT_FALSE(fault) << fault->why;
    }
    static tensor::Sequence sequenceOf(const types::Type* item) {
        return item->is(types::TypeKind::Tensor) ? tensor::Sequence{item} : tensor::Sequence{};
    }

    base::Context base;
    types::TypeTable types;
    const ir::Module module;
    const pass::Options options;
    const target::Model target;
};

TEST_P(KernelFaults, AreFound) {
    const std::string before = outputOf(parsed());
    EXPECT_TRUE(before.ends_with("\n")) << before;
    EXPECT_EQ(outputOf(afterThePass()), before);
    EXPECT_NE(outputOf(afterTheWrongPass()), before);
}

INSTANTIATE_TEST_SUITE_P(Rows, KernelFaults, ::testing::ValuesIn(kernelFaults()),
                         [](const auto& each) { return testName(each); });

}  // namespace

std::vector<Pass> ofKernels() { return passesOf(kernelFaults()); }

}  // namespace strc::faults
