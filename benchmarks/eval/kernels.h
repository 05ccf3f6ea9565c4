#pragma once
/// Work bodies as specialisation leaves them, for measuring the evaluator by itself. Each has the same
/// loops in Lua beside it (kernels.lua).

namespace strc::bench {

struct Kernel {
    const char* name;
    const char* text;  ///< a module; its only stream is a filter that runs
    int firings;
};

inline constexpr Kernel kKernels[] = {
    // 64 taps over a sliding window.
    {"fir", R"(
        filter Fir float->float {
            field h: float[64]
            setup { declare<float[64]> field h }
            work {
                local sum: float
                local i: int
                %0: float = const 0.0
                store<float> local sum, %0
                %1: int = const 0
                store<int> local i, %1
                loop {
                    %2: int = load local i
                    %3: int = const 64
                    %4: boolean = lt<int> %2, %3
                    yield<boolean> %4
                } do {
                    %5: float = load local sum
                    %6: int = load local i
                    %7: float = peek %6
                    %8: ref float[64] = addr field h
                    %9: int = load local i
                    %10: int = const 64
                    %11: ref float = elem %8, %9, %10
                    %12: float = load.at %11
                    %13: float = mul %7, %12
                    %14: float = add %5, %13
                    store<float> local sum, %14
                } step {
                    %15: int = load local i
                    %16: int = const 1
                    %17: int = add %15, %16
                    store<int> local i, %17
                }
                %18: float = load local sum
                push<float> %18
                discard<float>
            }
        })",
     200000},

    // c = a * b, 32 by 32, from fields.
    {"matmul", R"(
        filter Product float->float {
            field a: float[32][32]
            field b: float[32][32]
            field c: float[32][32]
            setup { declare<float[32][32]> field a declare<float[32][32]> field b declare<float[32][32]> field c }
            work {
                local i: int
                local j: int
                local k: int
                local sum: float
                %0: int = const 0
                store<int> local i, %0
                loop {
                    %1: int = load local i
                    %2: int = const 32
                    %3: boolean = lt<int> %1, %2
                    yield<boolean> %3
                } do {
                    %4: int = const 0
                    store<int> local j, %4
                    loop {
                        %5: int = load local j
                        %6: int = const 32
                        %7: boolean = lt<int> %5, %6
                        yield<boolean> %7
                    } do {
                        %8: float = const 0.0
                        store<float> local sum, %8
                        %9: int = const 0
                        store<int> local k, %9
                        loop {
                            %10: int = load local k
                            %11: int = const 32
                            %12: boolean = lt<int> %10, %11
                            yield<boolean> %12
                        } do {
                            %13: float = load local sum
                            %14: ref float[32][32] = addr field a
                            %15: int = load local i
                            %16: int = const 32
                            %17: ref float[32] = elem %14, %15, %16
                            %18: int = load local k
                            %19: ref float = elem %17, %18, %16
                            %20: float = load.at %19
                            %21: ref float[32][32] = addr field b
                            %22: int = load local k
                            %23: ref float[32] = elem %21, %22, %16
                            %24: int = load local j
                            %25: ref float = elem %23, %24, %16
                            %26: float = load.at %25
                            %27: float = mul %20, %26
                            %28: float = add %13, %27
                            store<float> local sum, %28
                        } step {
                            %29: int = load local k
                            %30: int = const 1
                            %31: int = add %29, %30
                            store<int> local k, %31
                        }
                        %32: ref float[32][32] = addr field c
                        %33: int = load local i
                        %34: int = const 32
                        %35: ref float[32] = elem %32, %33, %34
                        %36: int = load local j
                        %37: ref float = elem %35, %36, %34
                        %38: float = load local sum
                        store.at<float> %37, %38
                    } step {
                        %39: int = load local j
                        %40: int = const 1
                        %41: int = add %39, %40
                        store<int> local j, %41
                    }
                } step {
                    %42: int = load local i
                    %43: int = const 1
                    %44: int = add %42, %43
                    store<int> local i, %44
                }
                %45: float = pop
                push<float> %45
            }
        })",
     400},

    // Rounds of table look-ups, shifts and masks.
    {"rounds", R"(
        filter Rounds int->int {
            field box: int[64]
            setup { declare<int[64]> field box }
            work {
                local x: int
                local y: int
                local r: int
                %0: int = pop
                store<int> local x, %0
                %1: int = const 0
                store<int> local y, %1
                store<int> local r, %1
                loop {
                    %2: int = load local r
                    %3: int = const 64
                    %4: boolean = lt<int> %2, %3
                    yield<boolean> %4
                } do {
                    %5: int = load local y
                    %6: ref int[64] = addr field box
                    %7: int = load local x
                    %8: int = load local r
                    %9: int = xor %7, %8
                    %10: int = const 63
                    %11: int = and %9, %10
                    %12: int = const 64
                    %13: ref int = elem %6, %11, %12
                    %14: int = load.at %13
                    %15: int = xor %5, %14
                    store<int> local y, %15
                    %16: int = load local x
                    %17: int = const 1
                    %18: int = shl %16, %17
                    %19: int = load local x
                    %20: int = const 27
                    %21: int = shr %19, %20
                    %22: int = const 31
                    %23: int = and %21, %22
                    %24: int = or %18, %23
                    %25: int = load local y
                    %26: int = add %24, %25
                    store<int> local x, %26
                } step {
                    %27: int = load local r
                    %28: int = const 1
                    %29: int = add %27, %28
                    store<int> local r, %29
                }
                %30: int = load local x
                push<int> %30
            }
        })",
     200000},

    // Bubble sort of 64 numbers in a local array.
    {"sort", R"(
        filter Sort int->int {
            setup { }
            work {
                local a: int[64]
                local i: int
                local j: int
                local t: int
                declare<int[64]> local a
                %0: ref int[64] = addr local a
                %1: int = const 0
                store<int> local i, %1
                loop {
                    %2: int = load local i
                    %3: int = const 64
                    %4: boolean = lt<int> %2, %3
                    yield<boolean> %4
                } do {
                    %5: ref int[64] = addr local a
                    %6: int = load local i
                    %7: int = const 64
                    %8: ref int = elem %5, %6, %7
                    %9: int = load local i
                    %10: int = const 7919
                    %11: int = mul %9, %10
                    %12: int = const 101
                    %13: int = rem %11, %12
                    store.at<int> %8, %13
                } step {
                    %14: int = load local i
                    %15: int = const 1
                    %16: int = add %14, %15
                    store<int> local i, %16
                }
                %17: int = const 0
                store<int> local i, %17
                loop {
                    %18: int = load local i
                    %19: int = const 63
                    %20: boolean = lt<int> %18, %19
                    yield<boolean> %20
                } do {
                    %21: int = const 0
                    store<int> local j, %21
                    loop {
                        %22: int = load local j
                        %23: int = const 63
                        %24: int = load local i
                        %25: int = sub %23, %24
                        %26: boolean = lt<int> %22, %25
                        yield<boolean> %26
                    } do {
                        %27: ref int[64] = addr local a
                        %28: int = load local j
                        %29: int = const 64
                        %30: ref int = elem %27, %28, %29
                        %31: int = load.at %30
                        %32: int = load local j
                        %33: int = const 1
                        %34: int = add %32, %33
                        %35: ref int = elem %27, %34, %29
                        %36: int = load.at %35
                        %37: boolean = gt<int> %31, %36
                        if %37 {
                            %38: int = load local j
                            %39: ref int = elem %27, %38, %29
                            %40: int = load.at %39
                            store<int> local t, %40
                            %41: int = load local j
                            %42: ref int = elem %27, %41, %29
                            %43: int = load local j
                            %44: int = add %43, %33
                            %45: ref int = elem %27, %44, %29
                            %46: int = load.at %45
                            store.at<int> %42, %46
                            %47: int = load local j
                            %48: int = add %47, %33
                            %49: ref int = elem %27, %48, %29
                            %50: int = load local t
                            store.at<int> %49, %50
                        }
                    } step {
                        %51: int = load local j
                        %52: int = const 1
                        %53: int = add %51, %52
                        store<int> local j, %53
                    }
                } step {
                    %54: int = load local i
                    %55: int = const 1
                    %56: int = add %54, %55
                    store<int> local i, %56
                }
                %57: int = pop
                push<int> %57
            }
        })",
     4000},

    // Recursive calls.
    {"fib", R"(
        filter Fib int->int {
            setup { }
            function fib(n: int) -> int {
                %0: int = load local n
                %1: int = const 2
                %2: boolean = lt<int> %0, %1
                if %2 {
                    %3: int = load local n
                    return %3
                }
                %4: int = load local n
                %5: int = const 1
                %6: int = sub %4, %5
                %7: int = call stream fib(%6)
                %8: int = load local n
                %9: int = const 2
                %10: int = sub %8, %9
                %11: int = call stream fib(%10)
                %12: int = add %7, %11
                return %12
            }
            work {
                %0: int = pop
                %1: int = const 22
                %2: int = call stream fib(%1)
                push<int> %2
            }
        })",
     50},

    // Firings that do next to nothing.
    {"firings", R"(
        filter Gain float->float {
            field k: float
            setup { declare<float> field k }
            work {
                %0: float = pop
                %1: float = load field k
                %2: float = mul %0, %1
                push<float> %2
            }
        })",
     5000000},

    // Newton's square root: a while loop with a condition of two parts.
    {"while", R"(
        filter Root float->float {
            setup { }
            work {
                local x: float
                local n: int
                %0: float = pop
                %1: float = const 1.0E9
                store<float> local x, %1
                %2: int = const 0
                store<int> local n, %2
                loop {
                    %3: float = load local x
                    %4: float = const 2.0
                    %5: boolean = gt<float> %3, %4
                    %6: boolean = if %5 {
                        %7: int = load local n
                        %8: int = const 64
                        %9: boolean = lt<int> %7, %8
                        yield<boolean> %9
                    } else {
                        %10: boolean = const false
                        yield<boolean> %10
                    }
                    yield<boolean> %6
                } do {
                    %11: float = load local x
                    %12: float = load local x
                    %13: float = div %1, %12
                    %14: float = add %11, %13
                    %15: float = const 0.5
                    %16: float = mul %14, %15
                    store<float> local x, %16
                    %17: int = load local n
                    %18: int = const 1
                    %19: int = add %17, %18
                    store<int> local n, %19
                }
                %20: float = load local x
                push<float> %20
            }
        })",
     200000},
};

}  // namespace strc::bench
