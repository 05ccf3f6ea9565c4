// One row and more for every operation of the IR that prints what it gives.

#include <bitset>

#include "unit/eval/fixture.h"

namespace strc::eval {
namespace {

using ir::Op;

struct Row {
    Op op;
    const char* work;
    const char* expected;
};

// Each body is the work of a filter int->int with fields and functions of kMembers.
constexpr const char* kMembers = R"(
    parameter n: int
    parameter w: float[?]
    field count: int
    field grid: int[2][3]
    field rec: P
    field line: float[?]
    setup {
        declare<int> field count
        declare<int[2][3]> field grid
        declare<P> field rec
        %0: int = const 4
        declare<float[?]> field line, %0
    }
    function twice(k: int) -> int {
        %0: int = load local k
        %1: int = add %0, %0
        return %1
    }
)";

const Row kRows[] = {
    {Op::Const, "%0: float = const 0.5 print<float> %0 %1: String = const \"x\" print<String> %1",
     "0.5x"},
    {Op::Const,
     "%0: ref int[3] = const {4, 5, 6} %1: int = const 1 %2: int = const 3 %3: ref int = elem %0, "
     "%1, %2 "
     "%4: int = load.at %3 print<int> %4",
     "5"},
    {Op::Const, "%0: float3 = const (1.0, 2.0, 3.0) %1: float = part %0, 2 print<float> %1", "3.0"},
    {Op::Load, "%0: int = load constant n print<int> %0 %1: int = load field count print<int> %1",
     "70"},
    {Op::Store,
     "local x: int %0: int = const 3 store<int> local x, %0 store<int> field count, %0 "
     "%1: int = load local x %2: int = load field count %3: int = add %1, %2 print<int> %3",
     "6"},
    {Op::Addr,
     "%0: ref int[3] = addr global table %1: int = const 1 %2: int = const 3 %3: ref int = elem "
     "%0, %1, %2 "
     "%4: int = load.at %3 print<int> %4",
     "-2"},
    {Op::Extent,
     "%0: int = extent field line, 0 print<int> %0 %1: int = extent constant w, 0 print<int> %1 "
     "%2: int = extent field grid, 1 print<int> %2",
     "423"},
    {Op::Declare,
     "local x: int %0: int = const 9 store<int> local x, %0 declare<int> local x "
     "%1: int = load local x print<int> %1",
     "0"},
    {Op::Declare,
     "local a: int[?][?] %0: int = const 2 %1: int = const 5 declare<int[?][?]> local a, %0, %1 "
     "%2: int = extent local a, 0 print<int> %2 %3: int = extent local a, 1 print<int> %3",
     "25"},
    {Op::Elem,
     "%0: ref int[2][3] = addr field grid %1: int = const 1 %2: int = const 2 %3: int = const 3 "
     "%4: ref int[3] = elem %0, %1, %2 %5: ref int = elem %4, %2, %3 store.at<int> %5, %3 "
     "%6: int = load.at %5 print<int> %6",
     "3"},
    {Op::Member,
     "%0: ref P = addr field rec %1: ref boolean = member %0, 2 %2: boolean = const true "
     "store.at<boolean> %1, %2 %3: boolean = load.at %1 print<boolean> %3",
     "true"},
    {Op::LoadAt,
     "%0: ref P = addr field rec %1: ref int = member %0, 0 %2: int = load.at %1 print<int> %2",
     "0"},
    {Op::StoreAt,
     "local p: P declare<P> local p %0: ref P = addr local p %1: ref float[4] = member %0, 1 "
     "%2: int = const 3 %3: int = const 4 %4: ref float = elem %1, %2, %3 %5: float = const 2.5 "
     "store.at<float> %4, %5 %6: float = load.at %4 print<float> %6",
     "2.5"},
    {Op::Contract,  // a matrix of 2 x 2 times a column, in double; then the last of the results
     "local y: double[2] %0: ref double[2] = addr local y "
     "%1: ref double[4] = const {1.0, 2.0, 3.0, 4.0} %2: ref double[2] = const {10.0, 100.0} "
     "contract<int[3][4]> {{0, 0, 0, 0}, {2, 1, 2, 0}, {2, 0, 1, 1}} %0, %1, %2 "
     "%3: int = const 1 %4: int = const 2 %5: ref double = elem %0, %3, %4 "
     "%6: double = load.at %5 print<double> %6",
     "430.0"},
    {Op::Copy,
     "local a: int[3] declare<int[3]> local a %0: ref int[3] = addr local a %1: ref int[3] = addr "
     "global table "
     "copy<int[3]> %0, %1 %2: int = const 2 %3: int = const 3 %4: ref int = elem %0, %2, %3 "
     "%5: int = load.at %4 print<int> %5",
     "3"},
    {Op::Zero,
     "local a: int[3] declare<int[3]> local a %0: ref int[3] = addr local a %1: ref int[3] = addr "
     "global table "
     "copy<int[3]> %0, %1 zero<int[3]> %0 %2: int = const 2 %3: int = const 3 %4: ref int = elem "
     "%0, %2, %3 "
     "%5: int = load.at %4 print<int> %5",
     "0"},
    {Op::CheckExtent,
     "%0: int = const 2 %1: int = const 2 check.extent %0, %1, 0 %2: int = const 3 "
     "check.extent %0, %2, 0",
     "<the array has length 2, but 3 is needed>"},
    {Op::Check,
     "%0: int = const 2 %1: int = const 3 %2: boolean = lt<int> %0, %1 %3: long = const 3 "
     "%4: long = const 7 check work pop \"F\", %2, %3, %4 %5: boolean = lt<int> %1, %0 "
     "check prework peek \"F\", %5, %3, %4",
     "<'prework' of 'F' declares peek 3, but looks at item 7>"},
    {Op::Check,
     "%0: int = const 2 %1: boolean = lt<int> %0, %0 %2: long = const -2 "
     "check work offset \"F\", %1, %2, %2",
     "<the offset of 'peek' is negative: -2>"},
    {Op::Require,
     "%0: int = const 2 %1: int = const 3 %2: boolean = lt<int> %0, %1 %3: String = const \"two\" "
     "require %2, %3 print<String> %3 %4: boolean = lt<int> %1, %0 %5: String = convert %1 "
     "require %4, %5",
     "two<: 3>"},
    {Op::Add, "%0: int = const 2147483647 %1: int = const 1 %2: int = add %0, %1 print<int> %2",
     "-2147483648"},
    {Op::Add,
     "%0: double = const 0.1 %1: double = const 0.2 %2: double = add %0, %1 print<double> %2",
     "0.30000000000000004"},
    {Op::Add,
     "%0: float = const 16777216.0 %1: float = const 1.0 %2: float = add %0, %1 print<float> %2",
     "1.6777216E7"},
    {Op::Add,
     "%0: float4 = const (1.0, 2.0, 3.0, 4.0) %1: float = const 1.0 %2: float4 = add %0, %1 "
     "%3: float = part %2, 3 print<float> %3",
     "5.0"},
    {Op::Sub, "%0: int = const -2147483648 %1: int = const 1 %2: int = sub %0, %1 print<int> %2",
     "2147483647"},
    {Op::Sub,
     "%0: complex = const (1.0, 2.0) %1: complex = const (3.0, 5.0) %2: complex = sub %0, %1 "
     "print<complex> %2",
     "-2.0-3.0i"},
    {Op::Mul, "%0: int = const 65537 %1: int = const 65537 %2: int = mul %0, %1 print<int> %2",
     "131073"},
    {Op::Mul,
     "%0: complex = const (1.0, 2.0) %1: complex = const (3.0, 4.0) %2: complex = mul %0, %1 "
     "print<complex> %2",
     "-5.0+10.0i"},
    {Op::Mul,
     "%0: double = const 1.5 %1: double = const -2.0 %2: double = mul %0, %1 print<double> %2",
     "-3.0"},
    {Op::Div, "%0: int = const -7 %1: int = const 2 %2: int = div %0, %1 print<int> %2", "-3"},
    {Op::Div, "%0: int = const -2147483648 %1: int = const -1 %2: int = div %0, %1 print<int> %2",
     "-2147483648"},
    {Op::Div, "%0: float = const -1.0 %1: float = const 0.0 %2: float = div %0, %1 print<float> %2",
     "-Infinity"},
    {Op::Div, "%0: int = const 1 %1: int = const 0 %2: int = div %0, %1 print<int> %2",
     "<integer division by zero>"},
    {Op::Rem, "%0: int = const -7 %1: int = const 2 %2: int = rem %0, %1 print<int> %2", "-1"},
    {Op::Rem, "%0: int = const -2147483648 %1: int = const -1 %2: int = rem %0, %1 print<int> %2",
     "0"},
    {Op::Rem, "%0: int = load field count %1: int = rem %0, %0 print<int> %1",
     "<integer division by zero>"},
    {Op::Neg, "%0: int = const -2147483648 %1: int = neg %0 print<int> %1", "-2147483648"},
    {Op::Neg, "%0: float = const 0.0 %1: float = neg %0 print<float> %1", "-0.0"},
    {Op::Neg,
     "%0: float3 = const (1.0, 2.0, 3.0) %1: float3 = neg %0 %2: float = part %1, 1 print<float> "
     "%2",
     "-2.0"},
    {Op::Neg, "%0: complex = const (1.0, -2.0) %1: complex = neg %0 print<complex> %1",
     "-1.0+2.0i"},
    {Op::And, "%0: int = const 12 %1: int = const 10 %2: int = and %0, %1 print<int> %2", "8"},
    {Op::Or, "%0: int = const 12 %1: int = const 10 %2: int = or %0, %1 print<int> %2", "14"},
    {Op::Xor,
     "%0: boolean = const true %1: boolean = const true %2: boolean = xor %0, %1 print<boolean> %2",
     "false"},
    {Op::Not,
     "%0: boolean = const true %1: boolean = not %0 print<boolean> %1 %2: int = const 0 %3: int = "
     "not %2 "
     "print<int> %3 %4: bit = const 0 %5: bit = not %4 print<bit> %5",
     "false-11"},
    {Op::Shl, "%0: int = const 1 %1: int = const 33 %2: int = shl %0, %1 print<int> %2", "2"},
    {Op::Shl, "%0: int = const 1 %1: int = load constant n %2: int = shl %0, %1 print<int> %2",
     "128"},
    {Op::Shr, "%0: int = const -9 %1: int = const 1 %2: int = shr %0, %1 print<int> %2", "-5"},
    {Op::Eq, "%0: float = const NaN %1: boolean = eq<float> %0, %0 print<boolean> %1", "false"},
    {Op::Eq, "%0: complex = const (1.0, 2.0) %1: boolean = eq<complex> %0, %0 print<boolean> %1",
     "true"},
    {Op::Eq,
     "%0: String = const \"a\" %1: String = const \"b\" %2: String = concat %0, %1 "
     "%3: String = const \"ab\" %4: boolean = eq<String> %2, %3 print<boolean> %4",
     "true"},
    {Op::Ne,
     "%0: String = const \"a\" %1: String = const \"b\" %2: boolean = ne<String> %0, %1 "
     "print<boolean> %2",
     "true"},
    {Op::Eq, "%0: float2 = const (1.0, 2.0) %1: boolean = eq<float2> %0, %0 print<boolean> %1",
     "true"},
    {Op::Ne, "%0: float = const NaN %1: boolean = ne<float> %0, %0 print<boolean> %1", "true"},
    {Op::Ne, "%0: complex = const (1.0, 2.0) %1: boolean = ne<complex> %0, %0 print<boolean> %1",
     "false"},
    {Op::Lt,
     "%0: int = const -1 %1: int = load constant n %2: boolean = lt<int> %0, %1 print<boolean> %2",
     "true"},
    {Op::Lt,
     "%0: double = const 1.0 %1: double = const 2.0 %2: boolean = lt<double> %1, %0 print<boolean> "
     "%2",
     "false"},
    {Op::Le, "%0: int = load constant n %1: boolean = le<int> %0, %0 print<boolean> %1", "true"},
    {Op::Gt,
     "%0: float = const NaN %1: float = const 1.0 %2: boolean = gt<float> %0, %1 print<boolean> %2",
     "false"},
    {Op::Gt,
     "%0: double = const 1.0 %1: double = const 2.0 %2: boolean = gt<double> %1, %0 print<boolean> "
     "%2",
     "true"},
    {Op::Ge,
     "%0: int = const 3 %1: int = load constant n %2: boolean = ge<int> %0, %1 print<boolean> %2",
     "false"},
    {Op::Ge,
     "%0: int = const 3 %1: int = load constant n %2: boolean = ge<int> %1, %0 print<boolean> %2",
     "true"},
    {Op::Convert,
     "%0: float = const 1.0E10 %1: int = convert %0 print<int> %1 %2: float = const NaN %3: int = "
     "convert %2 "
     "print<int> %3",
     "21474836470"},
    {Op::Convert, "%0: int = const 16777217 %1: float = convert %0 print<float> %1", "1.6777216E7"},
    {Op::Convert,
     "%0: int = const 6 %1: bit = convert %0 print<bit> %1 %2: float = const 7.9 %3: bit = convert "
     "%2 "
     "print<bit> %3 %4: bit = const 1 %5: boolean = convert %4 print<boolean> %5",
     "01true"},
    {Op::Convert, "%0: int = const 6 %1: complex = convert %0 print<complex> %1", "6.0+0.0i"},
    {Op::Convert,
     "%0: float = const 6.5 %1: float3 = convert %0 %2: float = part %1, 2 print<float> %2", "6.5"},
    {Op::Convert,
     "%0: float = const 0.1 %1: double = convert %0 print<double> %1 %2: double = const -2.75 "
     "%3: int = convert %2 print<int> %3",
     "0.10000000149011612-2"},
    {Op::Math,
     "%0: double = const 2.0 %1: double = math sqrt %0 %2: float = convert %1 print<float> %2",
     "1.4142135"},
    {Op::Math,
     "%0: double = const 2.0 %1: double = const 10.0 %2: double = math pow %0, %1 print<double> %2",
     "1024.0"},
    {Op::Math,
     "%0: complex = const (3.0, 4.0) %1: float = math abs %0 print<float> %1 %2: complex = math "
     "sqrt %0 "
     "print<complex> %2",
     "5.02.0+1.0i"},
    {Op::Math, "%0: complex = const (-4.0, 0.0) %1: complex = math csqrt %0 print<complex> %1",
     "0.0+2.0i"},
    {Op::Make,
     "%0: float = const 1.0 %1: float = const 2.0 %2: complex = make %1, %0 print<complex> %2 "
     "%3: float3 = make %0, %1, %1 %4: float = part %3, 2 print<float> %4",
     "2.0+1.0i2.0"},
    {Op::Part, "%0: complex = const (3.0, 4.0) %1: float = part %0, 1 print<float> %1", "4.0"},
    {Op::WithPart,
     "local z: complex %0: complex = const (3.0, 4.0) store<complex> local z, %0 %1: complex = "
     "load local z "
     "%2: float = const 9.0 %3: complex = with.part %1, %2, 0 print<complex> %3 %4: complex = load "
     "local z "
     "print<complex> %4",
     "9.0+4.0i3.0+4.0i"},
    {Op::Concat,
     "%0: String = const \"a\" %1: int = const 12 %2: String = convert %1 %3: String = concat %0, "
     "%2 "
     "print<String> %3",
     "a12"},
    {Op::If,
     "%0: boolean = const true %1: int = if %0 { %2: int = const 1 yield<int> %2 } else { %3: int "
     "= const 2 "
     "yield<int> %3 } print<int> %1",
     "1"},
    {Op::Loop,
     "local i: int declare<int> local i loop { %0: int = load local i %1: int = const 3 %2: "
     "boolean = lt<int> %0, %1 "
     "yield<boolean> %2 } do { %3: int = load local i print<int> %3 } step { %4: int = load local "
     "i "
     "%5: int = const 1 %6: int = add %4, %5 store<int> local i, %6 }",
     "012"},
    {Op::Yield,
     "local i: int declare<int> local i loop dowhile { %0: boolean = const false yield<boolean> %0 "
     "} do "
     "{ %1: int = load local i print<int> %1 }",
     "0"},
    {Op::Break,
     "loop { %0: boolean = const true yield<boolean> %0 } do { %1: int = const 7 print<int> %1 "
     "break }",
     "7"},
    {Op::Continue,
     "local i: int declare<int> local i loop { %0: int = load local i %1: int = const 3 "
     "%2: boolean = lt<int> %0, %1 yield<boolean> %2 } do { %3: int = load local i %4: int = const "
     "1 "
     "%5: boolean = eq<int> %3, %4 if %5 { continue } print<int> %3 } step { %6: int = load local "
     "i "
     "%7: int = const 1 %8: int = add %6, %7 store<int> local i, %8 }",
     "02"},
    {Op::Return,
     "%0: int = const 1 print<int> %0 %1: boolean = const true if %1 { return } print<int> %0",
     "1"},
    {Op::Push, "%0: int = const 5 push<int> %0 %1: int = iter print<int> %1", "42"},
    {Op::Pop, "%0: int = pop print<int> %0", "10"},
    {Op::Peek,
     "%0: int = const 2 %1: int = peek %0 print<int> %1 %2: int = pop %3: int = peek %0 print<int> "
     "%3",
     "3040"},
    {Op::Discard, "discard<int> %0: int = pop print<int> %0", "20"},
    {Op::Iter, "%0: int = iter print<int> %0", "42"},
    {Op::Call, "%0: int = const 21 %1: int = call stream twice(%0) print<int> %1", "42"},
    {Op::Call, "%0: int = const 3 %1: int = call native Lib.next(%0, %0) print<int> %1",
     "native next4"},
    {Op::Print, "%0: float = const 1.0E-4 print<float> %0", "1.0E-4"},
    {Op::NewLine, "newline", "\n"},
    {Op::Random, "%0: double = random %1: float = convert %0 print<float> %1", "0.6844816"},
    {Op::Send,
     "%0: portal<Rx> = const 3 %1: int = const 5 %2: float = const 0.5 "
     "send go(%1: int, %2: float) to %0 latency %1",
     "send go to 3 in 5 int 5 float 0.5"},
    {Op::ReadArray,
     "local a: float[3] declare<float[3]> local a %0: ref float[3] = addr local a %1: String = "
     "const \"f\" "
     "%2: int = const 3 read.array %0, %1, %2 %3: ref float = elem %0, %2, %2",
     "<index 3 is outside of "
     "the array, whose length is 3>"},
    {Op::FileNumber,
     "%0: String = const \"f\" %1: int = const 7 %2: int = file.number %0, %1, 1 print<int> %2",
     "asks 1 of f, 7: 42"},
    {Op::ReadItems,
     "local a: float[2] declare<float[2]> local a %0: ref float[2] = addr local a %1: String = "
     "const \"f\" %2: int = const 0 read.items<float> %0, %1, %2, 0 "
     "%3: int = const 1 %4: int = const 2 %5: ref float = elem %0, %3, %4 %6: float = load.at %5 "
     "print<float> %6",
     "2.5"},
    {Op::Splat,
     "%0: int = const 3 %1: vector<int, 4> = splat %0 %90: vector<int, 4> = lane.numbers %2: "
     "vector<int, 4> = mul %90, %1 %50: int = lane %2, 0 print<int> %50 %51: int = lane %2, 1 "
     "print<int> %51 %52: int = lane %2, 2 print<int> %52 %53: int = lane %2, 3 print<int> %53",
     "0369"},
    {Op::LaneNumbers,
     "%90: vector<int, 4> = lane.numbers %50: int = lane %90, 0 print<int> %50 %51: int = lane "
     "%90, 1 print<int> %51 %52: int = lane %90, 2 print<int> %52 %53: int = lane %90, 3 "
     "print<int> %53",
     "0123"},
    {Op::Lane, "%90: vector<int, 4> = lane.numbers %0: int = lane %90, 2 print<int> %0", "2"},
    {Op::Select,
     "%90: vector<int, 4> = lane.numbers %0: int = const 1 %1: vector<int, 4> = splat %0 %2: "
     "vector<boolean, 4> = gt<vector<int, 4>> %90, %1 %3: vector<int, 4> = neg %90 %4: vector<int, "
     "4> = select %2, %3, %1 %50: int = lane %4, 0 print<int> %50 %51: int = lane %4, 1 print<int> "
     "%51 %52: int = lane %4, 2 print<int> %52 %53: int = lane %4, 3 print<int> %53",
     "11-2-3"},
    {Op::Any,
     "%90: vector<int, 4> = lane.numbers %0: int = const 3 %1: vector<int, 4> = splat %0 %2: "
     "vector<boolean, 4> = ge<vector<int, 4>> %90, %1 %3: boolean = any %2 print<boolean> %3 %4: "
     "vector<boolean, 4> = gt<vector<int, 4>> %90, %1 %5: boolean = any %4 print<boolean> %5",
     "truefalse"},
    {Op::Every,
     "%90: vector<int, 4> = lane.numbers %0: int = const 0 %1: vector<int, 4> = splat %0 %2: "
     "vector<boolean, 4> = ge<vector<int, 4>> %90, %1 %3: boolean = every %2 print<boolean> %3 %4: "
     "vector<boolean, 4> = gt<vector<int, 4>> %90, %1 %5: boolean = every %4 print<boolean> %5",
     "truefalse"},
    {Op::LoadVector,
     "%0: ref int[8] = const {7, 6, 5, 4, 3, 2, 1, 0} %1: int = const 1 %2: int = const 8 %3: ref "
     "int = elem %0, %1, %2 %4: vector<int, 4> = load.vector %3, 2 %50: int = lane %4, 0 "
     "print<int> %50 %51: int = lane %4, 1 print<int> %51 %52: int = lane %4, 2 print<int> %52 "
     "%53: int = lane %4, 3 print<int> %53",
     "6420"},
    {Op::StoreVector,
     "local a: int[6] declare local a %0: ref int[6] = addr local a %1: int = const 1 %2: int = "
     "const 6 %3: ref int = elem %0, %1, %2 %90: vector<int, 4> = lane.numbers store.vector %3, "
     "%90 %4: int = const 4 %5: ref int = elem %0, %4, %2 %6: int = load.at %5 print<int> %6",
     "3"},
    {Op::Gather,
     "%0: ref int[4] = const {9, 8, 7, 6} %1: int = const 3 %2: vector<int, 4> = splat %1 %90: "
     "vector<int, 4> = lane.numbers %3: vector<int, 4> = sub %2, %90 %4: int = const 4 %5: refs<4> "
     "int = elem %0, %3, %4 %6: vector<int, 4> = gather %5 %50: int = lane %6, 0 print<int> %50 "
     "%51: int = lane %6, 1 print<int> %51 %52: int = lane %6, 2 print<int> %52 %53: int = lane "
     "%6, 3 print<int> %53",
     "6789"},
    {Op::Gather,
     "local a: vector<int, 4>[2] declare local a %0: ref vector<int, 4>[2] = addr local a %1: int "
     "= const 1 %2: int = const 2 %3: ref vector<int, 4> = elem %0, %1, %2 %90: vector<int, 4> = "
     "lane.numbers store.at<vector<int, 4>> %3, %90 %4: vector<int, 4> = splat %1 %5: vector<int, "
     "4> = and %90, %4 %6: refs<4> vector<int, 4> = elem %0, %5, %2 %7: vector<int, 4> = gather %6 "
     "%50: int = lane %7, 0 print<int> %50 %51: int = lane %7, 1 print<int> %51 %52: int = lane "
     "%7, 2 print<int> %52 %53: int = lane %7, 3 print<int> %53",
     "0103"},
    {Op::Scatter,
     "local a: vector<int, 4>[2] declare local a %0: ref vector<int, 4>[2] = addr local a %1: int "
     "= const 1 %2: int = const 2 %90: vector<int, 4> = lane.numbers %4: vector<int, 4> = splat %1 "
     "%5: vector<int, 4> = and %90, %4 %6: refs<4> vector<int, 4> = elem %0, %5, %2 %8: "
     "vector<boolean, 4> = gt<vector<int, 4>> %90, %4 scatter<vector<int, 4>> %6, %90, %8 %3: ref "
     "vector<int, 4> = elem %0, %1, %2 %7: vector<int, 4> = load.at %3 %50: int = lane %7, 0 "
     "print<int> %50 %51: int = lane %7, 1 print<int> %51 %52: int = lane %7, 2 print<int> %52 "
     "%53: int = lane %7, 3 print<int> %53",
     "0003"},
    {Op::Transpose,
     "local a: int[8] local b: int[8] declare local a declare local b %0: ref int[8] = addr local "
     "a %1: ref int[8] = addr local b %2: int = const 8 %3: int = const 0 %4: ref int = elem %0, "
     "%3, %2 %5: vector<int, 8> = lane.numbers store.vector<vector<int, 8>> %4, %5 %6: int = "
     "const 1 %7: ref int = elem %1, %6, %2 %8: int = const 5 %15: int = const 3 transpose<int> "
     "%7, %4, %8, %15, 2 %9: ref int = elem %1, %3, %2 %10: vector<int, 8> = load.vector %9, 1 "
     "%11: int = lane %10, 2 print<int> %11 %12: int = lane %10, 3 print<int> %12 "
     "%13: int = lane %10, 4 print<int> %13 %14: int = lane %10, 5 print<int> %14",
     "2413"},
    {Op::PeekVector,
     "%0: int = const 0 %1: vector<int, 2> = peek.vector %0, 2 %2: int = lane %1, 1 print<int> %2",
     "30"},
    {Op::DiscardMany, "discard.many<int> 3 %0: int = pop print<int> %0", "40"},
    {Op::Addr,  // the window of the firing, whatever has been taken
     "discard.many<int> 3 %0: ref int[4] = addr input %1: int = const 1 %2: int = const 4 "
     "%3: ref int = elem %0, %1, %2 %4: int = load.at %3 print<int> %4 %5: int = pop print<int> %5",
     "2040"},
    {Op::PushMany,
     "%0: int = const 6 push<int> %0 %1: ref int[3] = addr output %2: int = const 2 %3: int = "
     "const 3 %4: ref int = elem %1, %2, %3 store.at<int> %4, %0 %5: int = const 0 %6: ref int = "
     "elem %1, %5, %3 %7: int = load.at %6 print<int> %7 push.many<int> 2",
     "6"},
    {Op::PushVector,
     "%90: vector<int, 4> = lane.numbers push.vector<vector<int, 4>> %90 %0: int = const 1 "
     "print<int> %0",
     "1"},
    {Op::PeekColumns,
     "local a: int[4] declare local a %0: ref int[4] = addr local a %1: int = const 4 "
     "peek.columns<int> %0, %1, 2 %2: int = const 1 %3: ref int = elem %0, %2, %1 %4: int = "
     "load.at %3 print<int> %4",
     "30"},
    {Op::PushRows,
     "local a: int[4] declare local a %0: ref int[4] = addr local a push.rows<int> %0, 2 %1: int = "
     "const 2 print<int> %1",
     "2"},
};

class Operations : public Evaluation {
protected:
    std::string result(const char* work) {
        readWork(work, kMembers);
        if (HasFatalFailure()) return "";
        host.files["f"] = "1\n2\n\n 3.5\n";
        instance.constants = {intValue(7), Value::zero(types.array(types.floatType(), 2))};
        instance.iterations = 42;
        firing = {};
        run(instance.code->setup);
        Items<std::int32_t> input{10, 20, 30, 40}, output;
        instance.input = &input.tape;
        instance.output = &output.tape;
        return text(run(*instance.code->work));
    }
};

TEST_F(Operations, GiveWhatTheLanguageSays) {
    for (const Row& row : kRows) EXPECT_EQ(result(row.work), row.expected) << row.work;
}

// Those that work on aggregates or build the graph have tests of their own, further down and in
// machine_test.cpp.
TEST_F(Operations, EachHasATest) {
    std::bitset<static_cast<std::size_t>(Op::Count)> tested;
    for (const Row& row : kRows) tested.set(static_cast<std::size_t>(row.op));
    for (Op op : {Op::PushFrom, Op::PopInto, Op::PeekInto})           // MovesAggregates
        tested.set(static_cast<std::size_t>(op));
    for (Op op : {Op::NewPortal, Op::Create, Op::Split, Op::Join, Op::Enqueue, Op::Rate,
                  Op::ItemType})  // Builds
        tested.set(static_cast<std::size_t>(op));
    tested.set(static_cast<std::size_t>(Op::Tensor));  // has been expanded before
    for (Op op : {Op::TeamExchange, Op::TeamWait})  // of devices alone: cli.device_emulated
        tested.set(static_cast<std::size_t>(op));
    for (std::size_t k = 0; k < tested.size(); ++k)
        EXPECT_TRUE(tested[k]) << "no test of " << ir::info(static_cast<Op>(k)).mnemonic;
}

// ---- operands of every form: in variables, literals, one of each

class Forms : public Evaluation {
protected:
    /// What `op` gives for a and b, each a literal or loaded from a variable; the four have to agree.
    std::string result(const std::string& op, const std::string& type, const std::string& a,
                       const std::string& b, const std::string& resultType) {
        std::string all;
        for (int form = 0; form < 4; ++form) {
            std::string work = "local x: " + type + " local y: " + type + " %0: " + type +
                               " = const " + a + " store<" + type + "> local x, %0 %1: " + type +
                               " = const " + b + " store<" + type + "> local y, %1 ";
            std::string left = form & 1 ? "%2" : "%0", right = form & 2 ? "%3" : "%1";
            work += "%2: " + type + " = load local x %3: " + type + " = load local y ";
            std::string name = resultType == type ? op : op + "<" + type + ">";
            work += "%4: " + resultType + " = " + name + " " + left + ", " + right + " print<" +
                    resultType + "> %4 ";
            if (resultType == "boolean")  // and jumped upon
                work +=
                    "if %4 { %5: boolean = const true print<boolean> %5 } else { %6: boolean = "
                    "const false "
                    "print<boolean> %6 } %7: boolean = " +
                    name + " " + left + ", " + right +
                    " if %7 { print<boolean> %7 } else { %8: boolean = not %7 print<boolean> %8 } "
                    "%9: boolean = " +
                    name + " " + left + ", " + right + " %10: boolean = not %9 if %10 { newline }";
            std::string one = printed(work);
            if (all.empty()) all = one;
            EXPECT_EQ(one, all) << op << ' ' << a << ' ' << b << " form " << form;
        }
        return all;
    }
    static std::string flag(bool value) { return value ? "truetruetrue" : "falsefalsetrue\n"; }
};

TEST_F(Forms, Ints) {
    constexpr std::int32_t kValues[] = {0, 1, -1, 7, -7, 33, INT32_MAX, INT32_MIN};
    for (std::int32_t a : kValues)
        for (std::int32_t b : {1, -1, 5, 33, INT32_MIN}) {
            auto of = [&](const char* op, const char* type = "int") {
                return result(op, "int", std::to_string(a), std::to_string(b), type);
            };
            auto text = [](std::int64_t value) { return std::to_string(types::wrap(value)); };
            std::int64_t x = a, y = b;
            EXPECT_EQ(of("add"), text(x + y));
            EXPECT_EQ(of("sub"), text(x - y));
            EXPECT_EQ(of("mul"), text(x * y));
            EXPECT_EQ(of("div"), text(x / y));
            EXPECT_EQ(of("rem"), text(x % y));
            EXPECT_EQ(of("and"), text(x & y));
            EXPECT_EQ(of("or"), text(x | y));
            EXPECT_EQ(of("xor"), text(x ^ y));
            EXPECT_EQ(of("shl"), text(x * (std::int64_t{1} << (y & 31))));
            EXPECT_EQ(of("shr"), text(x >> (y & 31)));
            EXPECT_EQ(of("lt", "boolean"), flag(x < y));
            EXPECT_EQ(of("le", "boolean"), flag(x <= y));
            EXPECT_EQ(of("gt", "boolean"), flag(x > y));
            EXPECT_EQ(of("ge", "boolean"), flag(x >= y));
            EXPECT_EQ(of("eq", "boolean"), flag(x == y));
            EXPECT_EQ(of("ne", "boolean"), flag(x != y));
        }
}

TEST_F(Forms, Reals) {
    constexpr float kValues[] = {0, -1.5f, 3, 1e30f, NAN};
    for (float a : kValues)
        for (float b : {2.5f, -1.5f, float(NAN)})
            for (const char* type : {"float", "double"}) {
                bool isFloat = type[0] == 'f';
                auto of = [&](const char* op, const char* resultType) {
                    return result(op, type, types::formatFloat(a), types::formatFloat(b),
                                  resultType);
                };
                auto text = [&](float single, double twice) {
                    return isFloat ? types::formatFloat(single) : types::formatDouble(twice);
                };
                double x = std::strtod(types::formatFloat(a).c_str(), nullptr), y = b;
                EXPECT_EQ(of("add", type), text(a + b, x + y));
                EXPECT_EQ(of("sub", type), text(a - b, x - y));
                EXPECT_EQ(of("mul", type), text(a * b, x * y));
                EXPECT_EQ(of("div", type), text(a / b, x / y));
                EXPECT_EQ(of("lt", "boolean"), flag(x < y));
                EXPECT_EQ(of("le", "boolean"), flag(x <= y));
                EXPECT_EQ(of("gt", "boolean"), flag(x > y));
                EXPECT_EQ(of("ge", "boolean"), flag(x >= y));
                EXPECT_EQ(of("eq", "boolean"), flag(x == y));
                EXPECT_EQ(of("ne", "boolean"), flag(x != y));
            }
}

TEST_F(Forms, ComplexAndVectors) {
    EXPECT_EQ(result("add", "complex", "(1.0, 2.0)", "(0.5, 4.0)", "complex"), "1.5+6.0i");
    EXPECT_EQ(result("div", "complex", "(1.0, 2.0)", "(0.0, 2.0)", "complex"), "1.0-0.5i");
    for (const char* op : {"add", "sub", "mul", "div"}) {
        std::string work =
            std::string(
                "%0: float4 = const (1.0, 2.0, 3.0, 8.0) %1: float4 = const (4.0, 3.0, 2.0, "
                "2.0) ") +
            "%2: float4 = " + op +
            " %0, %1 %3: float = part %2, 3 print<float> %3 %4: boolean = ne<float4> "
            "%0, %2 print<boolean> %4 %5: double = const 0.5 %6: double = neg %5 print<double> %6";
        float part = op[0] == 'a' ? 10.f : op[0] == 's' ? 6.f : op[0] == 'm' ? 16.f : 4.f;
        EXPECT_EQ(printed(work), types::formatFloat(part) + "true-0.5");
    }
}

/// Elements of every size, through an index that is a variable, a sum or known, and through a struct.
TEST_F(Forms, ElementsOfEverySize) {
    struct Case {
        const char *type, *value, *prints;
    };
    for (Case c :
         {Case{"boolean", "true", "true"}, Case{"bit", "1", "1"}, Case{"int", "-9", "-9"},
          Case{"float", "2.5", "2.5"}, Case{"double", "0.1", "0.1"},
          Case{"complex", "(1.0, 2.0)", "1.0+2.0i"}, Case{"float3", "(1.0, 2.0, 3.0)", "3.0"},
          Case{"float4", "(1.0, 2.0, 3.0, 4.0)", "3.0"}}) {
        std::string type = c.type;
        bool isVector = type == "float3" || type == "float4";
        int next = 10;
        auto show = [&](const std::string& ref) {
            std::string loaded = "%" + std::to_string(next++);
            std::string text = loaded + ": " + type + " = load.at " + ref + " ";
            if (!isVector) return text + "print<" + type + "> " + loaded + " ";
            std::string part = "%" + std::to_string(next++);
            return text + part + ": float = part " + loaded + ", 2 print<float> " + part + " ";
        };
        auto access = [&](const std::string& index) {
            std::string first = "%" + std::to_string(next++), second = "%" + std::to_string(next++);
            std::string element = ": ref " + type + " = elem %0, " + index + ", %1 ";
            return first + element + "store.at<" + type + "> " + first + ", %2 " + second +
                   element + show(second);
        };
        std::string work =
            "local a: " + type + "[4] local m: " + type + "[2][2] local i: int declare<" + type +
            "[4]> local a declare<" + type + "[2][2]> local m %0: ref " + type +
            "[4] = addr local a %1: int = const 4 %2: " + type + " = const " + c.value +
            " %3: int = const 1 store<int> local i, %3 %4: int = load local i ";
        work += access("%4") + access("%3") + "%5: int = add %4, %3 " + access("%5");
        work += "%6: int = add %4, %4 " + access("%6");
        work += "%7: ref " + type + "[2][2] = addr local m %8: int = const 2 %9: ref " + type +
                "[2] = elem %7, %4, %8 ";
        std::string cell = "%" + std::to_string(next++);
        work +=
            cell + ": ref " + type + " = elem %9, %4, %8 store.at<" + type + "> " + cell + ", %2 ";
        std::string row = "%" + std::to_string(next++), again = "%" + std::to_string(next++);
        work += row + ": ref " + type + "[2] = elem %7, %4, %8 " + again + ": ref " + type +
                " = elem " + row + ", %4, %8 ";
        work += show(again);
        std::string expected;
        for (int k = 0; k < 5; ++k) expected += c.prints;
        EXPECT_EQ(printed(work), expected) << type;
    }
}

TEST_F(Operations, MovesAggregates) {
    readWork(R"(
        local p: P
        declare<P> local p
        %0: ref P = addr local p
        %1: int = const 1
        peek.into<P> %0, %1
        %2: ref int = member %0, 0
        %3: int = load.at %2
        print<int> %3
        pop.into<P> %0
        %4: int = load.at %2
        print<int> %4
        push.from<P> %0
        store.at<int> %2, %1
        push.from<P> %0
    )",
             "", "P->P");
    struct P {
        std::int32_t id;
        float v[4];
        bool flag;
    };
    Items<P> input{{8, {1, 2, 3, 4}, true}, {9, {}, false}}, output;
    instance.input = &input.tape;
    instance.output = &output.tape;
    EXPECT_EQ(text(runWork()), "98");
    ASSERT_EQ(output.tape.size(), 2u);
    EXPECT_EQ(output.all()[0].id, 8);
    EXPECT_EQ(output.all()[0].v[3], 4);
    EXPECT_EQ(output.all()[1].id, 1);
    EXPECT_EQ(input.tape.size(), 1u);
}

TEST_F(Operations, Builds) {
    read(R"(
        pipeline Child int->int { parameter n: int parameter w: float[?] setup { } composite { } }
        pipeline Main int[?]->void {
            setup {
                %0: int = const 4
                item.type<int[?]> input %0
                rate work push %0
                rate work pop dynamic min %0 max %0
                rate prework peek dynamic average %0
            }
            composite {
                local a: float[?]
                %0: int = const 2
                declare<float[?]> local a, %0
                %1: ref float[?] = addr local a
                %2: portal<Rx> = new.portal
                %3: portal<Rx> = new.portal
                create add stream Child(%0, %1[%0]) to %2, %3
                create loop stream Child(default, %1[%0])
                create body builtin Identity<float[?]>[%0]()
                split list %0, %0
                split duplicate
                join uniform %0
                join roundrobin
                enqueue<float[?]> %1[%0]
                enqueue<int> %0
            }
        }
    )");
    run(instance.code->setup);
    EXPECT_EQ(host.out, "item 0 int[4]; rate 0 4 - -; rate 1 4 - 4; rate 2 - 4 -");
    EXPECT_EQ(types::toString(instance.itemTypes[0]), "int[4]");
    host.out.clear();
    EXPECT_EQ(
        text(run(*instance.code->body)),
        "create 0 int 2 float[2] {0.0, 0.0} portal 0 portal 1; create 2 default float[2] {0.0, "
        "0.0}; "
        "create 1<float[2]>; split form 2 2 2; split duplicate form 0; join form 1 2; join form 0; "
        "enqueue float[2] {0.0, 0.0}; enqueue int 2");
}

}  // namespace
}  // namespace strc::eval
