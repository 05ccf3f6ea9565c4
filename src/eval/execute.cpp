// The dispatch loop. Everything that is not quick is a call out of it.

#include <cmath>
#include <cstring>

#include "eval/detail/contract.h"
#include "eval/detail/run.h"
#include "types/long.h"
#include "types/short_floats.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wgnu-label-as-value"
#endif

namespace strc::eval {
namespace {

using types::Complex;
using types::MathFn;

template <typename T>
T read(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <typename T>
void write(std::byte* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

std::int32_t wrap(std::uint32_t value) { return static_cast<std::int32_t>(value); }
std::uint32_t raw(std::int32_t value) { return static_cast<std::uint32_t>(value); }
std::int64_t wrapLong(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t rawLong(std::int64_t value) { return static_cast<std::uint64_t>(value); }
float asFloat(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
std::uint16_t bits16(const Slot& slot) { return static_cast<std::uint16_t>(slot.i); }
Complex asComplex(const Slot& slot) { return {slot.parts[0], slot.parts[1]}; }
void put(Slot& slot, Complex z) {
    slot.parts[0] = z.real();
    slot.parts[1] = z.imag();
}

float vectorPart(ir::Op op, float a, float b) {
    switch (op) {
        case ir::Op::Add: return a + b;
        case ir::Op::Sub: return a - b;
        case ir::Op::Mul: return a * b;
        case ir::Op::Div: return a / b;
        default: STRC_UNREACHABLE("an operation on vectors that the language does not have");
    }
}

std::string_view asText(const Slot& slot) {
    return slot.text ? std::string_view(*slot.text) : std::string_view();
}

/// The floats of a vector, which may lie in two slots.
void getParts(float* parts, const Slot* slot, std::uint32_t count) {
    std::memcpy(parts, slot, count * sizeof(float));
}

void binaryVector(Slot* to, const Slot* left, const Slot* right, ir::Op op, std::uint32_t count,
                  bool scalar) {
    float a[4] = {}, b[4] = {};
    getParts(a, left, count);
    getParts(b, right, scalar ? 1 : count);
    if (op == ir::Op::Eq || op == ir::Op::Ne) {
        bool equal = true;
        for (std::uint32_t k = 0; k < count; ++k) equal = equal && a[k] == b[k];
        to->i = equal == (op == ir::Op::Eq);
        return;
    }
    for (std::uint32_t k = 0; k < count; ++k) a[k] = vectorPart(op, a[k], b[scalar ? 0 : k]);
    std::memcpy(static_cast<void*>(to), a, count * sizeof(float));
}

/// One part of a complex or vector; the parts go on in the next slot.
float getPart(const Slot* slot, std::uint32_t part) {
    return read<float>(reinterpret_cast<const std::byte*>(slot) + part * sizeof(float));
}

void putPart(Slot* slot, std::uint32_t part, float value) {
    write(reinterpret_cast<std::byte*>(slot) + part * sizeof(float), value);
}

}  // namespace

// The operands of an operation: S(k) the slot that word k names, N(k) the word itself.
#define S(k) frame[pc[k]]
#define N(k) pc[k]
#define K(k) static_cast<std::int32_t>(pc[k])
#define OFFSET_OF(slotWord, offsetWord) (S(slotWord).address + N(offsetWord))
#define NEXT(words)        \
    do {                   \
        pc += words;       \
        goto* labels[*pc]; \
    } while (false)
#define GO(word)                                   \
    do {                                           \
        pc += static_cast<std::int32_t>(pc[word]); \
        goto* labels[*pc];                         \
    } while (false)
#define STOP_IF_NOT(call)         \
    do {                          \
        if (!(call)) [[unlikely]] \
            return run.outcome;   \
    } while (false)
#define BINARY(Name, expression) \
    Name: {                      \
        expression;              \
        NEXT(4);                 \
    }
#define UNARY(Name, expression) \
    Name: {                     \
        expression;             \
        NEXT(3);                \
    }
#define JUMP2(Name, condition) \
    Name: {                    \
        if (condition) GO(3);  \
        NEXT(4);               \
    }

// NOLINTNEXTLINE(readability-function-size): a flat list of operations
Outcome execute(Run& run, const std::uint32_t* pc, Slot* frame) {
    static const void* const labels[] = {
#define X(Name, operands) &&Name,
#include "eval/opcodes.def"
#undef X
    };
    goto* labels[*pc];

Mov:
    S(1) = S(2);
    NEXT(3);
Mov2: {
    Slot first = S(2), second = (&S(2))[1];
    S(1) = first;
    (&S(1))[1] = second;
    NEXT(3);
}
Const:
    S(1).bits = N(2);
    NEXT(3);
Const2:
    S(1).bits = N(2) | static_cast<std::uint64_t>(N(3)) << 32;
    NEXT(4);

    // ---- int
    BINARY(AddI, S(1).i = wrap(raw(S(2).i) + raw(S(3).i)))
    BINARY(SubI, S(1).i = wrap(raw(S(2).i) - raw(S(3).i)))
    BINARY(MulI, S(1).i = wrap(raw(S(2).i) * raw(S(3).i)))
DivI: {
    std::int32_t a = S(2).i, b = S(3).i;
    if (b == 0) [[unlikely]] {
        run.trap(pc, frame, Diag::DivisionByZero);
        return run.outcome;
    }
    S(1).i = b == -1 ? wrap(0u - raw(a)) : a / b;
    NEXT(4);
}
RemI: {
    std::int32_t a = S(2).i, b = S(3).i;
    if (b == 0) [[unlikely]] {
        run.trap(pc, frame, Diag::DivisionByZero);
        return run.outcome;
    }
    S(1).i = b == -1 ? 0 : a % b;
    NEXT(4);
}
    BINARY(AndI, S(1).i = S(2).i & S(3).i)
    BINARY(OrI, S(1).i = S(2).i | S(3).i)
    BINARY(XorI, S(1).i = S(2).i ^ S(3).i)
    BINARY(ShlI, S(1).i = wrap(raw(S(2).i) << (S(3).i & 31)))
    BINARY(ShrI, S(1).i = S(2).i >> (S(3).i & 31))
MulAddIK:
    S(1).i = wrap(raw(S(2).i) * N(3) + raw(S(4).i));
    NEXT(5);
    BINARY(AddIK, S(1).i = wrap(raw(S(2).i) + N(3)))
    BINARY(MulIK, S(1).i = wrap(raw(S(2).i) * N(3)))
    BINARY(DivIK, S(1).i = S(2).i / K(3))
    BINARY(RemIK, S(1).i = S(2).i % K(3))
    BINARY(AndIK, S(1).i = S(2).i & K(3))
    BINARY(OrIK, S(1).i = S(2).i | K(3))
    BINARY(XorIK, S(1).i = S(2).i ^ K(3))
    BINARY(ShlIK, S(1).i = wrap(raw(S(2).i) << N(3)))
    BINARY(ShrIK, S(1).i = S(2).i >> N(3))
    UNARY(NegI, S(1).i = wrap(0u - raw(S(2).i)))
    UNARY(NotI, S(1).i = ~S(2).i)
    UNARY(NotB, S(1).i = S(2).i ^ 1)
    BINARY(LtI, S(1).i = S(2).i < S(3).i)
    BINARY(LeI, S(1).i = S(2).i <= S(3).i)
    BINARY(EqI, S(1).i = S(2).i == S(3).i)
    BINARY(NeI, S(1).i = S(2).i != S(3).i)
    BINARY(LtIK, S(1).i = S(2).i < K(3))
    BINARY(LeIK, S(1).i = S(2).i <= K(3))
    BINARY(GtIK, S(1).i = S(2).i > K(3))
    BINARY(GeIK, S(1).i = S(2).i >= K(3))
    BINARY(EqIK, S(1).i = S(2).i == K(3))
    BINARY(NeIK, S(1).i = S(2).i != K(3))

    // ---- int of 64 bits
    BINARY(AddL, S(1).l = wrapLong(rawLong(S(2).l) + rawLong(S(3).l)))
    BINARY(SubL, S(1).l = wrapLong(rawLong(S(2).l) - rawLong(S(3).l)))
    BINARY(MulL, S(1).l = wrapLong(rawLong(S(2).l) * rawLong(S(3).l)))
DivL: {
    std::int64_t a = S(2).l, b = S(3).l;
    if (b == 0) [[unlikely]] {
        run.trap(pc, frame, Diag::DivisionByZero);
        return run.outcome;
    }
    S(1).l = b == -1 ? wrapLong(0u - rawLong(a)) : a / b;
    NEXT(4);
}
    UNARY(NegL, S(1).l = wrapLong(0u - rawLong(S(2).l)))
    BINARY(LtL, S(1).i = S(2).l < S(3).l)
    BINARY(LeL, S(1).i = S(2).l <= S(3).l)
    BINARY(EqL, S(1).i = S(2).l == S(3).l)
    BINARY(NeL, S(1).i = S(2).l != S(3).l)

    // ---- float
    BINARY(AddF, S(1).f = S(2).f + S(3).f)
    BINARY(SubF, S(1).f = S(2).f - S(3).f)
    BINARY(MulF, S(1).f = S(2).f * S(3).f)
    BINARY(DivF, S(1).f = S(2).f / S(3).f)
    UNARY(NegF, S(1).f = -S(2).f)
MulAddF: {
    float product = S(3).f * S(4).f;
    S(1).f = S(2).f + product;
    NEXT(5);
}
MulSubF: {
    float product = S(3).f * S(4).f;
    S(1).f = S(2).f - product;
    NEXT(5);
}
    BINARY(AddFK, S(1).f = S(2).f + asFloat(N(3)))
    BINARY(SubFK, S(1).f = S(2).f - asFloat(N(3)))
    BINARY(MulFK, S(1).f = S(2).f * asFloat(N(3)))
    BINARY(DivFK, S(1).f = S(2).f / asFloat(N(3)))
    BINARY(LtF, S(1).i = S(2).f < S(3).f)
    BINARY(LeF, S(1).i = S(2).f <= S(3).f)
    BINARY(EqF, S(1).i = S(2).f == S(3).f)
    BINARY(NeF, S(1).i = S(2).f != S(3).f)
    BINARY(LtFK, S(1).i = S(2).f < asFloat(N(3)))
    BINARY(LeFK, S(1).i = S(2).f <= asFloat(N(3)))
    BINARY(GtFK, S(1).i = S(2).f > asFloat(N(3)))
    BINARY(GeFK, S(1).i = S(2).f >= asFloat(N(3)))
    BINARY(EqFK, S(1).i = S(2).f == asFloat(N(3)))
    BINARY(NeFK, S(1).i = S(2).f != asFloat(N(3)))

    // ---- double, complex, vectors
    BINARY(AddD, S(1).d = S(2).d + S(3).d)
    BINARY(SubD, S(1).d = S(2).d - S(3).d)
    BINARY(MulD, S(1).d = S(2).d * S(3).d)
    BINARY(DivD, S(1).d = S(2).d / S(3).d)
    UNARY(NegD, S(1).d = -S(2).d)
    BINARY(LtD, S(1).i = S(2).d < S(3).d)
    BINARY(LeD, S(1).i = S(2).d <= S(3).d)
    BINARY(EqD, S(1).i = S(2).d == S(3).d)
    BINARY(NeD, S(1).i = S(2).d != S(3).d)
    BINARY(AddC, put(S(1), asComplex(S(2)) + asComplex(S(3))))
    BINARY(SubC, put(S(1), asComplex(S(2)) - asComplex(S(3))))
MulC: {
    // As types::multiply, which the calling convention makes slow.
    float a = S(2).parts[0], b = S(2).parts[1], c = S(3).parts[0], d = S(3).parts[1];
    S(1).parts[0] = a * c - b * d;
    S(1).parts[1] = b * c + a * d;
    NEXT(4);
}
    BINARY(DivC, put(S(1), types::divide(asComplex(S(2)), asComplex(S(3)))))
    UNARY(NegC, put(S(1), -asComplex(S(2))))
    BINARY(EqC, S(1).i = asComplex(S(2)) == asComplex(S(3)))
    BINARY(NeC, S(1).i = asComplex(S(2)) != asComplex(S(3)))
    BINARY(EqT, S(1).i = asText(S(2)) == asText(S(3)))
    BINARY(NeT, S(1).i = asText(S(2)) != asText(S(3)))
BinaryV:
    binaryVector(&S(1), &S(2), &S(3), static_cast<ir::Op>(N(4)), N(5), N(6) != 0);
    NEXT(7);
NegV: {
    float parts[4] = {};
    getParts(parts, &S(2), N(3));
    for (float& part : parts) part = -part;
    std::memcpy(static_cast<void*>(&S(1)), parts, N(3) * sizeof(float));
    NEXT(4);
}

    // ---- conversions, built-in functions
    UNARY(IToF, S(1).f = static_cast<float>(S(2).i))
    UNARY(IToD, S(1).d = S(2).i)
    UNARY(FToI, S(1).i = types::toInt(S(2).f))
    UNARY(I8ToI, S(1).i = static_cast<std::int8_t>(S(2).i))
    UNARY(HToF, S(1).f = static_cast<float>(types::ofHalf(bits16(S(2)))))
    UNARY(FToH, S(1).i = types::toHalf(static_cast<double>(S(2).f)))
    UNARY(DToH, S(1).i = types::toHalf(S(2).d))
    UNARY(BToF, S(1).f = static_cast<float>(types::ofBFloat16(bits16(S(2)))))
    UNARY(FToB, S(1).i = types::toBFloat16(static_cast<double>(S(2).f)))
    UNARY(DToB, S(1).i = types::toBFloat16(S(2).d))
    UNARY(IToL, S(1).l = S(2).i)
    UNARY(LToI, S(1).i = static_cast<std::int32_t>(S(2).l))
    UNARY(FToL, S(1).l = types::toLong(S(2).f))
    UNARY(LToF, S(1).f = static_cast<float>(S(2).l))
    UNARY(DToL, S(1).l = types::toLong(S(2).d))
    UNARY(LToD, S(1).d = static_cast<double>(S(2).l))
    UNARY(FToD, S(1).d = S(2).f)
    UNARY(DToF, S(1).f = static_cast<float>(S(2).d))
    UNARY(DToI, S(1).i = types::toInt(S(2).d))
    UNARY(Low, S(1).i = S(2).i & 1)
    UNARY(FToC, put(S(1), Complex(S(2).f, 0)))
FToV: {
    float value = S(2).f;
    for (std::uint32_t k = 0; k < N(3); ++k) putPart(&S(1), k, value);
    NEXT(4);
}
MathF:
    S(1).f = static_cast<float>(types::evaluate(static_cast<MathFn>(N(4)), S(2).f, S(3).f));
    NEXT(5);
    UNARY(SqrtF, S(1).f = std::sqrt(S(2).f))  // correctly rounded, so rounding twice gives the same
    UNARY(AbsF, S(1).f = std::fabs(S(2).f))
MathD:
    S(1).d = types::evaluate(static_cast<MathFn>(N(4)), S(2).d, S(3).d);
    NEXT(5);
MathC:
    put(S(1), types::evaluate(static_cast<MathFn>(N(4)), asComplex(S(2)), asComplex(S(3))));
    NEXT(5);
MathR:
    S(1).f = types::evaluateToReal(static_cast<MathFn>(N(3)), asComplex(S(2)));
    NEXT(4);
PutPart:
    putPart(&S(1), N(2), S(3).f);
    NEXT(4);
GetPart:
    S(1).f = getPart(&S(2), N(3));
    NEXT(4);

    // ---- memory
    BINARY(Load1, S(1).i = read<std::uint8_t>(OFFSET_OF(2, 3)))
    BINARY(Load2, S(1).i = read<std::uint16_t>(OFFSET_OF(2, 3)))
    BINARY(Load4, S(1).i = read<std::int32_t>(OFFSET_OF(2, 3)))
    BINARY(Load8, S(1).bits = read<std::uint64_t>(OFFSET_OF(2, 3)))
Load12: {
    const std::byte* at = OFFSET_OF(2, 3);
    S(1).bits = read<std::uint64_t>(at);
    (&S(1))[1].i = read<std::int32_t>(at + 8);
    NEXT(4);
}
Load16: {
    const std::byte* at = OFFSET_OF(2, 3);
    S(1).bits = read<std::uint64_t>(at);
    (&S(1))[1].bits = read<std::uint64_t>(at + 8);
    NEXT(4);
}
    BINARY(Store1, write(OFFSET_OF(2, 3), static_cast<std::uint8_t>(S(1).i)))
    BINARY(Store2, write(OFFSET_OF(2, 3), bits16(S(1))))
    BINARY(Store4, write(OFFSET_OF(2, 3), S(1).i))
    BINARY(Store8, write(OFFSET_OF(2, 3), S(1).bits))
    BINARY(Store12, std::memcpy(OFFSET_OF(2, 3), &S(1), 12))
    BINARY(Store16, std::memcpy(OFFSET_OF(2, 3), &S(1), 16))
    BINARY(Lea, S(1).address = OFFSET_OF(2, 3))
Lea64:
    S(1).address = S(2).address + (N(3) | static_cast<std::uint64_t>(N(4)) << 32);
    NEXT(5);

#define CHECK_INDEX(index, extent) CHECK_INDEX_AT(pc, index, extent)
#define CHECK_INDEX_AT(at, index, extent)            \
    do {                                             \
        if (raw(index) >= (extent)) [[unlikely]] {   \
            run.indexTrap(at, frame, index, extent); \
            return run.outcome;                      \
        }                                            \
    } while (false)
#define ELEMENT(Name, size, statement) ELEMENT_AT(Name, size, S(3).i, 6, statement)
#define ELEMENT_A(Name, size, statement) \
    ELEMENT_AT(Name, size, wrap(raw(S(3).i) + N(6)), 7, statement)
#define ELEMENT_S(Name, size, statement) \
    ELEMENT_AT(Name, size, wrap(raw(S(3).i) + raw(S(6).i)), 7, statement)
#define ELEMENT_AT(Name, size, from, words, statement)                                         \
    Name: {                                                                                    \
        std::int32_t index = from;                                                             \
        CHECK_INDEX(index, N(4));                                                              \
        std::byte* at = S(2).address + N(5) + static_cast<std::uint64_t>(raw(index)) * (size); \
        statement;                                                                             \
        NEXT(words);                                                                           \
    }
#define ELEMENTS(form, suffix)                                                             \
    form(LoadE1##suffix, 1, S(1).i = read<std::uint8_t>(at))                               \
        form(LoadE2##suffix, 2, S(1).i = read<std::uint16_t>(at))                          \
            form(LoadE4##suffix, 4, S(1).i = read<std::int32_t>(at))                       \
                form(LoadE8##suffix, 8, S(1).bits = read<std::uint64_t>(at))               \
                    form(StoreE1##suffix, 1, write(at, static_cast<std::uint8_t>(S(1).i))) \
                        form(StoreE2##suffix, 2, write(at, bits16(S(1))))                  \
                            form(StoreE4##suffix, 4, write(at, S(1).i))                    \
                                form(StoreE8##suffix, 8, write(at, S(1).bits))
    ELEMENTS(ELEMENT, )
    ELEMENTS(ELEMENT_A, A)
    ELEMENTS(ELEMENT_S, S)
#define ELEMENT2(Name, size, statement)                                                       \
    Name: {                                                                                   \
        std::int32_t outer = S(3).i, inner = S(6).i;                                          \
        CHECK_INDEX(outer, N(4));                                                             \
        CHECK_INDEX_AT(pc + 1, inner, N(7));                                                  \
        std::byte* at = S(2).address + N(8) + static_cast<std::uint64_t>(raw(outer)) * N(5) + \
                        static_cast<std::uint64_t>(raw(inner)) * (size);                      \
        statement;                                                                            \
        NEXT(9);                                                                              \
    }
    ELEMENT2(LoadEE1, 1, S(1).i = read<std::uint8_t>(at))
    ELEMENT2(LoadEE2, 2, S(1).i = read<std::uint16_t>(at))
    ELEMENT2(LoadEE4, 4, S(1).i = read<std::int32_t>(at))
    ELEMENT2(LoadEE8, 8, S(1).bits = read<std::uint64_t>(at))
    ELEMENT2(StoreEE1, 1, write(at, static_cast<std::uint8_t>(S(1).i)))
    ELEMENT2(StoreEE2, 2, write(at, bits16(S(1))))
    ELEMENT2(StoreEE4, 4, write(at, S(1).i))
    ELEMENT2(StoreEE8, 8, write(at, S(1).bits))
Elem: {
    std::int32_t index = S(3).i;
    CHECK_INDEX(index, N(4));
    S(1).address = S(2).address + N(5) + static_cast<std::uint64_t>(raw(index)) * N(6);
    NEXT(7);
}
ElemV: {
    std::int32_t index = S(3).i;
    CHECK_INDEX(index, raw(S(4).i));
    S(1).address = S(2).address + N(5) + static_cast<std::uint64_t>(raw(index)) * N(6);
    NEXT(7);
}
ElemVV: {
    std::int32_t index = S(3).i;
    CHECK_INDEX(index, raw(S(4).i));
    S(1).address = S(2).address + N(5) + static_cast<std::uint64_t>(raw(index)) * raw(S(6).i);
    NEXT(7);
}
Contract: {
    const Products& products = frame[kFunction].function->products[N(11)];
    run.charge(static_cast<std::uint64_t>(ir::countProducts(products.how)));
    STOP_IF_NOT(run.hasFuel(pc, frame));
    contract(products, OFFSET_OF(1, 2), OFFSET_OF(3, 4), OFFSET_OF(5, 6),
             {OFFSET_OF(7, 8), OFFSET_OF(9, 10)});
    NEXT(12);
}
Copy:
    std::memmove(OFFSET_OF(1, 2), OFFSET_OF(3, 4), N(5));
    NEXT(6);
CopyV:
    run.charge(raw(S(5).i));
    STOP_IF_NOT(run.hasFuel(pc, frame));
    std::memmove(OFFSET_OF(1, 2), OFFSET_OF(3, 4), raw(S(5).i));
    NEXT(6);
Zero:
    std::memset(OFFSET_OF(1, 2), 0, N(3));
    NEXT(4);
ZeroV:
    run.charge(raw(S(3).i));
    STOP_IF_NOT(run.hasFuel(pc, frame));
    std::memset(OFFSET_OF(1, 2), 0, raw(S(3).i));
    NEXT(4);
FieldAddr:
    S(1).address = run.instance.state.data() + run.instance.fieldOffsets[N(2)];
    NEXT(3);
ConstantAddr:
    S(1).address = const_cast<std::byte*>(
        reinterpret_cast<const std::byte*>(run.instance.constants[N(2)].bytes.data()));
    NEXT(3);
GlobalAddr:
    S(1).address =
        const_cast<std::byte*>(reinterpret_cast<const std::byte*>(run.global(N(2)).bytes.data()));
    NEXT(3);
ConstantLoad:
    fromValue(&S(1), run.instance.constants[N(2)], &run.instance.constants[N(2)].bytes);
    NEXT(3);
GlobalLoad:
    fromValue(&S(1), run.global(N(2)), &run.global(N(2)).bytes);
    NEXT(3);
GlobalStore: {
    Value& global = (*run.instance.globals)[N(2)];
    global = toValue(&S(1), run.code.module->globals[N(2)].type);
    NEXT(3);
}
Extent: {
    ExtentSource source{static_cast<ExtentSource::Kind>(N(2)), N(3), N(4), 0};
    S(1).i = static_cast<std::int32_t>(run.extentOf(frame, source));
    NEXT(5);
}
CheckExtent: {
    if (S(1).i == S(2).i) NEXT(4);
    run.trap(pc, frame, Diag::ArrayLength,
             {"the array", std::to_string(S(1).i), std::to_string(S(2).i)});
    return run.outcome;
}

    // ---- control
Jump:
    GO(3);
JumpT: {
    if (S(1).i) GO(2);
    NEXT(3);
}
JumpF: {
    if (!S(1).i) GO(2);
    NEXT(3);
}
    JUMP2(JumpLtI, S(1).i < S(2).i)
    JUMP2(JumpLeI, S(1).i <= S(2).i)
    JUMP2(JumpEqI, S(1).i == S(2).i)
    JUMP2(JumpNeI, S(1).i != S(2).i)
    JUMP2(JumpLtIK, S(1).i < K(2))
    JUMP2(JumpLeIK, S(1).i <= K(2))
    JUMP2(JumpGtIK, S(1).i > K(2))
    JUMP2(JumpGeIK, S(1).i >= K(2))
    JUMP2(JumpEqIK, S(1).i == K(2))
    JUMP2(JumpNeIK, S(1).i != K(2))
    JUMP2(JumpLtF, S(1).f < S(2).f)
    JUMP2(JumpLeF, S(1).f <= S(2).f)
    JUMP2(JumpNotLtF, !(S(1).f < S(2).f))
    JUMP2(JumpNotLeF, !(S(1).f <= S(2).f))
    JUMP2(JumpEqF, S(1).f == S(2).f)
    JUMP2(JumpNeF, S(1).f != S(2).f)
#define LOOP(Name, condition)                          \
    Name: {                                            \
        std::int32_t count = wrap(raw(S(1).i) + N(2)); \
        S(1).i = count;                                \
        if ((run.fuel -= N(5)) < 0) [[unlikely]]       \
            STOP_IF_NOT(run.refuel(pc, frame));        \
        if (condition) GO(4);                          \
        NEXT(6);                                       \
    }
    LOOP(LoopLtI, count < S(3).i)
    LOOP(LoopLeI, count <= S(3).i)
    LOOP(LoopGtI, count > S(3).i)
    LOOP(LoopGeI, count >= S(3).i)
    LOOP(LoopNeI, count != S(3).i)
    LOOP(LoopLtIK, count < K(3))
    LOOP(LoopLeIK, count <= K(3))
    LOOP(LoopGtIK, count > K(3))
    LOOP(LoopGeIK, count >= K(3))
    LOOP(LoopNeIK, count != K(3))
Tick: {
    if ((run.fuel -= N(1)) < 0) [[unlikely]]
        STOP_IF_NOT(run.refuel(pc, frame));
    NEXT(2);
}
Call: {
    const Function& callee = *run.code.table[N(1)];
    Slot* inner = frame + frame[kFunction].function->slots;
    bool roomy = callee.need <= static_cast<std::uint64_t>(frame[kEnd].slot - inner);
    bool deep = frame[kDepth].bits >= run.memory.limits.callDepth;
    inner[kEnd] = frame[kEnd];
    if (!roomy || deep) [[unlikely]] {
        inner = run.call(pc, frame, callee);
        if (!inner) return run.outcome;
    }
    if ((run.fuel -= callee.weight) < 0) [[unlikely]]
        STOP_IF_NOT(run.refuel(pc, frame));
    inner[kReturn].code = pc + 3;
    inner[kCaller].slot = frame;
    inner[kFunction].function = &callee;
    inner[kDepth].bits = frame[kDepth].bits + 1;
    inner[kState] = frame[kState];
    inner[kFrame].slot = inner;
    frame = inner;
    pc = callee.code.data();
    NEXT(0);
}
Return:
    pc = frame[kReturn].code;
    frame = frame[kCaller].slot;
    NEXT(0);
Return1: {
    Slot value = S(1);
    pc = frame[kReturn].code;
    frame = frame[kCaller].slot;
    frame[pc[-1]] = value;
    NEXT(0);
}
Return2: {
    Slot value = S(1), rest = (&S(1))[1];
    pc = frame[kReturn].code;
    frame = frame[kCaller].slot;
    frame[pc[-1]] = value;
    frame[pc[-1] + 1] = rest;
    NEXT(0);
}
Halt:
    return Outcome::Done;

    // ---- tapes
#define PUSH(Name, size, statement, words)        \
    Name: {                                       \
        if (run.last == run.pushEnd) [[unlikely]] \
            STOP_IF_NOT(run.wantPush(pc, frame)); \
        std::byte* at = run.last;                 \
        run.last = at + (size);                   \
        statement;                                \
        NEXT(words);                              \
    }
#define POP(Name, size, statement, words)         \
    Name: {                                       \
        if (run.first == run.popEnd) [[unlikely]] \
            STOP_IF_NOT(run.wantPop(pc, frame));  \
        const std::byte* at = run.first;          \
        run.first += (size);                      \
        statement;                                \
        NEXT(words);                              \
    }
    // A negative offset becomes one that is beyond every end.
#define PEEK(Name, size, from, statement, words)                                       \
    Name: {                                                                            \
        std::int64_t offset = from;                                                    \
        if (static_cast<std::uint64_t>(offset) * (size) >=                             \
            static_cast<std::uint64_t>(run.peekEnd - run.first)) [[unlikely]]          \
            STOP_IF_NOT(run.wantPeek(pc, frame, static_cast<std::int32_t>(offset)));   \
        const std::byte* at = run.first + static_cast<std::uint64_t>(offset) * (size); \
        statement;                                                                     \
        NEXT(words);                                                                   \
    }
    PUSH(Push1, 1, write(at, static_cast<std::uint8_t>(S(1).i)), 2)
    PUSH(Push4, 4, write(at, S(1).i), 2)
    PUSH(Push8, 8, write(at, S(1).bits), 2)
    PUSH(PushSlots, N(2), std::memcpy(at, &S(1), N(2)), 3)
    PUSH(PushFrom, N(3), std::memcpy(at, OFFSET_OF(1, 2), N(3)), 4)
    POP(Pop1, 1, S(1).i = read<std::uint8_t>(at), 2)
    POP(Pop4, 4, S(1).i = read<std::int32_t>(at), 2)
    POP(Pop8, 8, S(1).bits = read<std::uint64_t>(at), 2)
    POP(PopSlots, N(2), std::memcpy(static_cast<void*>(&S(1)), at, N(2)), 3)
    POP(PopInto, N(3), std::memcpy(OFFSET_OF(1, 2), at, N(3)), 4)
    POP(Discard, N(1), static_cast<void>(at), 2)
#define PEEKS(suffix, from, words)                                       \
    PEEK(Peek1##suffix, 1, from, S(1).i = read<std::uint8_t>(at), words) \
    PEEK(Peek4##suffix, 4, from, S(1).i = read<std::int32_t>(at), words) \
    PEEK(Peek8##suffix, 8, from, S(1).bits = read<std::uint64_t>(at), words)
    PEEKS(, S(2).i, 3)
    PEEKS(A, wrap(raw(S(2).i) + N(3)), 4)
    PEEKS(S, wrap(raw(S(2).i) + raw(S(3).i)), 4)
    PEEKS(K, N(2), 3)
    PEEK(PeekSlots, N(3), S(2).i, std::memcpy(static_cast<void*>(&S(1)), at, N(3)), 4)
    PEEK(PeekInto, N(4), S(3).i, std::memcpy(OFFSET_OF(1, 2), at, N(4)), 5)
DiscardLoop: {
    std::int64_t trips = std::int64_t{K(2)} - S(1).i;
    auto there = static_cast<std::uint64_t>(run.popEnd - run.first);
    if (static_cast<std::uint64_t>(trips) * N(3) <= there && run.fuel > trips * N(4)) [[likely]] {
        run.first += trips * N(3);
        run.fuel -= trips * N(4);
        S(1).i = K(2);
        NEXT(5);
    }
    if (run.first == run.popEnd) STOP_IF_NOT(run.wantPop(pc, frame));
    run.first += N(3);
    if ((run.fuel -= N(4)) < 0) STOP_IF_NOT(run.refuel(pc, frame));
    if (++S(1).i < K(2)) NEXT(0);
    NEXT(5);
}
DiscardMany: {
    const std::int64_t bytes = std::int64_t{N(1)} * N(2);
    if (run.popEnd - run.first < bytes) STOP_IF_NOT(run.wantPops(pc, frame, N(2)));
    run.first += bytes;
    NEXT(3);
}
PushMany: {
    const std::int64_t bytes = std::int64_t{N(1)} * N(2);
    if (run.pushEnd - run.last < bytes) STOP_IF_NOT(run.wantPushes(pc, frame, N(2)));
    run.last += bytes;
    NEXT(3);
}
InputAddr:
    STOP_IF_NOT(run.inputItems(pc, frame, S(1), N(2)));
    NEXT(3);
OutputAddr:
    STOP_IF_NOT(run.outputItems(pc, frame, S(1), N(2)));
    NEXT(3);
Iter:
    S(1).i = wrap(static_cast<std::uint32_t>(run.instance.iterations));
    NEXT(2);

    // ---- the rest
ToString: {
    auto kind = static_cast<types::TypeKind>(N(3));
    S(1).text = run.memory.string(format(&S(2), kind, run.machine.cFormat));
    NEXT(4);
}
Concat:
    STOP_IF_NOT(run.concat(pc, frame, S(1), S(2).text, S(3).text));
    NEXT(4);
Intern:
    STOP_IF_NOT(run.intern(pc, frame, S(1), S(2).text));
    NEXT(3);
StringMark:
    S(1).bits = run.memory.strings.size();
    NEXT(2);
StringRelease:
    run.memory.releaseStrings(S(1).bits);
    NEXT(2);
ArenaMark:
    S(1).bits = run.memory.arrayMark();
    NEXT(2);
ArenaRelease:
    run.memory.releaseArrays(S(1).bits);
    NEXT(2);
Print:
    STOP_IF_NOT(run.print(pc, frame, S(1), static_cast<types::TypeKind>(N(2))));
    NEXT(3);
NewLine: {
    run.expose(frame);
    run.instance.host->print("\n");
    NEXT(1);
}
Random:
    S(1).d = run.instance.host->random().next();
    NEXT(2);
Host:
    STOP_IF_NOT(run.host(pc, frame, run.code.hostOps[N(1)]));
    NEXT(2);
}

}  // namespace strc::eval
