#include "ir/work_estimate.h"

#include <algorithm>
#include <span>

#include "ir/affine.h"
#include "ir/contraction.h"

namespace strc::ir {
namespace {

constexpr double kUnknownTrips = 8;
constexpr double kDivision = 8;
constexpr double kMath = 24;
constexpr double kPrint = 200;
constexpr double kOtherCall = 50;  ///< of a package, a native
constexpr double kProductsAtOnce = 8;  ///< of a contraction, which is always done in vectors
constexpr double kBytesAtOnce = 16;  ///< of an aggregate that is copied
constexpr int kMostDepth = 8;  ///< of calls

class Estimate {
public:
    Estimate(const StreamCode& stream, const Body& each, int calls)
        : code(stream), body(each), depth(calls), affine(each) {}

    double block(BlockId id) {
        if (id == kNone) return 0;
        const std::span<const Instr> instrs = body.blocks[id].instrs;
        double sum = 0;
        for (std::size_t k = 0; k < instrs.size(); ++k) sum += instr(instrs.first(k), instrs[k]);
        return sum;
    }

private:
    double instr(std::span<const Instr> before, const Instr& i) {
        switch (i.op) {
            case Op::Const:
            case Op::Addr:
            case Op::Member:
            case Op::Elem:
            case Op::Declare: return 0;
            case Op::Loop: return loop(before, i);
            case Op::If: return 1 + std::max(block(i.blocks[0]), block(i.blocks[1]));
            case Op::Div:
            case Op::Rem: return kDivision;
            case Op::Math: return kMath;
            case Op::Print:
            case Op::NewLine: return kPrint;
            case Op::Call: return call(i);
            case Op::Contract:
                return static_cast<double>(countProducts(contractionOf(i))) / kProductsAtOnce;
            default: return moved(i);
        }
    }

    static double moved(const Instr& i) {
        if (!i.type || !i.type->isAggregate() || info(i.op).result == ResultKind::Ref) return 1;
        return 1 + static_cast<double>(types::sizeOf(i.type)) / kBytesAtOnce;
    }

    double loop(std::span<const Instr> before, const Instr& i) {
        const auto counts = affine.induction(before, i);
        if (counts) affine.enter(*counts);
        const double once = block(i.blocks[0]) + block(i.blocks[1]) + block(i.blocks[2]);
        if (counts) affine.leave(counts->counter);
        return once * (counts ? static_cast<double>(counts->trips) : kUnknownTrips);
    }

    double call(const Instr& i) {
        if (i.callee.kind != CalleeKind::Stream || depth >= kMostDepth) return kOtherCall;
        const Body& callee = code.functions[i.callee.index];
        return Estimate(code, callee, depth + 1).block(callee.entry);
    }

    const StreamCode& code;
    const Body& body;
    int depth;
    Affine affine;
};

}  // namespace

double estimateWork(const StreamCode& code, const Body& body) {
    return Estimate(code, body, 0).block(body.entry);
}

}  // namespace strc::ir
