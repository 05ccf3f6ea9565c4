// What has been moved to a device as the constants of strc/device.h.

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "codegen/detail/module_builder.h"
#include "codegen/device.h"
#include "strc/device.h"

namespace strc::codegen {
namespace {

static_assert(device::kDepth == STRC_DEVICE_DEPTH);
static_assert(device::kBlock == STRC_DEVICE_THREADS);
static_assert(graph::kNone == STRC_NOBODY);
static_assert(ir::kMostAddends == 2);
static_assert(device::kMostWidth == STRC_ATTENTION_WIDTH);
static_assert(device::kMostAttentionLoops == STRC_ATTENTION_OUTER);

template <typename T>
std::string bytesOf(const std::vector<T>& rows) {
    std::string bytes(rows.size() * sizeof(T), '\0');
    if (!rows.empty()) std::memcpy(bytes.data(), rows.data(), bytes.size());
    return bytes;
}

std::uint32_t narrow(std::size_t number) { return static_cast<std::uint32_t>(number); }

class Tables {
public:
    Tables(ModuleBuilder& builder, const DevicePart& all)
        : m(builder), part(all), parts(*all.parts) {}

    llvm::Constant* make() {
        for (const device::Segment& segment : parts.segments) addSegment(segment);
        for (const device::Contraction& sum : parts.contractions) addContraction(sum);
        for (const ir::Attention& how : parts.attentions) addAttention(how);
        addNames();
        auto text = [&](std::string bytes) { return m.bytes(std::move(bytes)); };
        auto number = [&](std::uint64_t value) { return llvm::ConstantInt::get(m.i64(), value); };
        auto small = [&](std::uint32_t value) { return llvm::ConstantInt::get(m.i32(), value); };
        llvm::Constant* fields[] = {calls(),
                                    text(part.code + '\0'),
                                    text(std::string(part.linked)),
                                    text(names),
                                    text(bytesOf(nameOffsets)),
                                    text(bytesOf(ops)),
                                    text(bytesOf(addresses)),
                                    text(bytesOf(contractions)),
                                    text(bytesOf(loops)),
                                    text(bytesOf(attentions)),
                                    text(bytesOf(attentionLoops)),
                                    text(bytesOf(segments)),
                                    weights(),
                                    text(bytesOf(rangesOf(parts.kept))),
                                    text(bytesOf(rangesOf(parts.shared))),
                                    number(nameOffsets.size()),
                                    number(ops.size()),
                                    number(contractions.size()),
                                    number(loops.size()),
                                    number(attentions.size()),
                                    number(segments.size()),
                                    number(parts.weights.size()),
                                    number(parts.kept.size()),
                                    number(parts.shared.size()),
                                    number(static_cast<std::uint64_t>(parts.scratchSize)),
                                    number(static_cast<std::uint64_t>(parts.weightsSize)),
                                    small(static_cast<std::uint32_t>(part.ordinal)),
                                    small(m.options.fastMath ? 1 : 0),
                                    small(parts.most[0].node),
                                    small(parts.most[1].node),
                                    small(parts.most[2].node),
                                    small(0)};
        auto* whole = llvm::ConstantStruct::getAnon(fields);
        return m.constantData(whole, "device");
    }

private:
    /// Whoever links a program with a part on a device links what can run it.
    llvm::Constant* calls() { return m.module.getOrInsertGlobal("strc_device_functions", m.i8()); }

    /// Persistent kernels behind the others.
    void addNames() {
        auto add = [&](const std::string& symbol) {
            nameOffsets.push_back(narrow(names.size()));
            names += symbol + '\0';
        };
        for (std::size_t k = 0; k < parts.kernels.size(); ++k) add(deviceSymbol(parts, k));
        for (std::size_t k = 0; k < parts.persists.size(); ++k) add(persistentSymbol(k));
    }

    static std::vector<strc_device_range> rangesOf(const std::vector<device::Range>& ranges) {
        std::vector<strc_device_range> rows;
        for (const device::Range& range : ranges)
            rows.push_back(
                {static_cast<std::uint64_t>(range.at), static_cast<std::uint64_t>(range.size)});
        return rows;
    }

    void addSegment(const device::Segment& segment) {
        segments.push_back({narrow(ops.size()), narrow(segment.operations.size()),
                            narrow(segment.depth), narrow(segment.parts)});
        for (const device::Operation& operation : segment.operations) addOperation(operation);
    }

    void addOperation(const device::Operation& from) {
        strc_device_op op{};
        op.kind = static_cast<std::uint32_t>(from.kind);
        op.what = from.what;
        op.node = from.node;
        op.first_address = narrow(addresses.size());
        op.address_count = narrow(from.addresses.size());
        op.count = static_cast<std::uint64_t>(from.count);
        op.bytes = static_cast<std::uint64_t>(from.bytes);
        if (from.kind == device::OperationKind::Launch) {
            const device::Kernel& kernel = parts.kernels[from.what].kernel;
            op.first_iteration = narrow(from.firstIteration);
            op.iteration_count = kernel.iterationCount;
            op.threads = kernel.isThreadEach ? 0 : static_cast<std::uint64_t>(kernel.threads);
        }
        if (from.kind == device::OperationKind::Persist) {
            const device::Persist& all = parts.persists[from.what].kernel;
            op.what = narrow(parts.kernels.size() + from.what);
            op.first_iteration = narrow(from.firstIteration);
            op.iteration_count = all.outer;
            op.threads = static_cast<std::uint64_t>(all.blocks);
            op.skips = from.skips;
        }
        for (const device::Address& address : from.addresses)
            addresses.push_back(addressOf(address));
        ops.push_back(op);
    }

    static strc_device_address addressOf(const device::Address& from) {
        strc_device_address address{};
        address.at = from.at;
        address.per_firing = from.perFiring;
        address.memory = static_cast<std::uint32_t>(from.memory);
        STRC_ASSERT(from.perIteration.size() <= STRC_DEVICE_DEPTH, "loops nested too deeply");
        std::copy(from.perIteration.begin(), from.perIteration.end(), address.per_iteration);
        return address;
    }

    static strc_device_element elementOf(const Type* type) {
        switch (type->kind) {
            case TypeKind::Double: return STRC_DEVICE_DOUBLE;
            case TypeKind::Int: return STRC_DEVICE_INT;
            case TypeKind::Half: return STRC_DEVICE_HALF;
            case TypeKind::BFloat16: return STRC_DEVICE_BFLOAT16;
            default: return STRC_DEVICE_FLOAT;
        }
    }

    /// Rows go with a, columns with b; what goes with neither, or with both, is done again for each.
    void addContraction(const device::Contraction& from) {
        strc_device_contraction row{};
        row.element = elementOf(from.factor);
        row.is_for_tensor_cores = from.isForTensorCores ? 1 : 0;
        row.first_loop = narrow(loops.size());
        row.addends = narrow(from.how.addends);
        row.is_bounded = from.how.bounds.areAny() && from.element->isReal() ? 1 : 0;
        row.low = from.how.bounds.low;
        row.high = from.how.bounds.high;
        loops.push_back(
            {0, from.how.out, from.how.a, from.how.b, {from.how.added[0], from.how.added[1]}});
        using Loop = ir::ContractionLoop;
        auto add = [&](std::uint32_t& count, auto takes) {
            for (const Loop& loop : from.how.loops) {
                if (!takes(loop)) continue;
                loops.push_back(
                    {loop.trips, loop.out, loop.a, loop.b, {loop.added[0], loop.added[1]}});
                ++count;
            }
        };
        add(row.rows, [](const Loop& l) { return l.out != 0 && l.a != 0 && l.b == 0; });
        add(row.columns, [](const Loop& l) { return l.out != 0 && l.a == 0 && l.b != 0; });
        add(row.batch, [](const Loop& l) { return l.out != 0 && (l.a != 0) == (l.b != 0); });
        add(row.sums, [](const Loop& l) { return l.out == 0; });
        contractions.push_back(row);
    }

    void addAttention(const ir::Attention& from) {
        auto add = [&](const ir::AttentionLoop& loop) {
            attentionLoops.push_back(
                {loop.trips, {loop.out, loop.query, loop.key, loop.value, loop.mask}});
        };
        attentions.push_back({narrow(attentionLoops.size()), narrow(from.outer.size()),
                              from.isCausal ? 1u : 0u, from.scale});
        for (const ir::AttentionLoop& loop :
             {from.first, from.queries, from.keys, from.width, from.values})
            add(loop);
        for (const ir::AttentionLoop& loop : from.outer) add(loop);
    }

    llvm::Constant* weights() {
        std::vector<llvm::Constant*> rows;
        auto number = [&](std::int64_t value) {
            return llvm::ConstantInt::get(m.i64(), static_cast<std::uint64_t>(value));
        };
        for (const device::Weight& weight : parts.weights) {
            const StoredSymbol& symbol = m.storedSymbol(weight.array);
            rows.push_back(llvm::ConstantStruct::getAnon(
                {m.module.getNamedGlobal(symbol.symbol), number(types::sizeOf(weight.array.type)),
                 number(weight.at), number(symbol.isPointer ? 1 : 0)}));
        }
        if (rows.empty()) return llvm::ConstantPointerNull::get(m.ptr());
        auto* type = llvm::ArrayType::get(rows[0]->getType(), rows.size());
        return m.constantData(llvm::ConstantArray::get(type, rows), "weights");
    }

    ModuleBuilder& m;
    const DevicePart& part;
    const device::Offloaded& parts;
    std::vector<strc_device_op> ops;
    std::vector<strc_device_address> addresses;
    std::vector<strc_device_contraction> contractions;
    std::vector<strc_device_loop> loops;
    std::vector<strc_device_attention> attentions;
    std::vector<strc_attention_loop> attentionLoops;
    std::vector<strc_device_segment> segments;
    std::string names;
    std::vector<std::uint32_t> nameOffsets;
};

}  // namespace

llvm::Constant* emitDevice(ModuleBuilder& m) {
    if (!m.options.device) return llvm::ConstantPointerNull::get(m.ptr());
    return Tables(m, *m.options.device).make();
}

}  // namespace strc::codegen
