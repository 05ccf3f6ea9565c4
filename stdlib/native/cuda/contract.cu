// Sums of products: matrices, convolutions and whatever else is one (strc/contraction.h). Four ways: tiles in shared
// memory, each thread with a part of 4 x 4 in registers; such tiles on tensor cores; few rows with neighbouring columns
// side by side; few rows with neighbouring sums side by side. Results of one element are always added up in the same order.

#include "strc/contraction.h"

namespace {

__device__ int at(const strc_offsets &offsets, int i) {
    return offsets.table ? __ldg(offsets.table + i) : i * offsets.step;
}

/// Elements of memory alone.
struct Half {
    unsigned short bits;
};
struct Bfloat16 {
    unsigned short bits;
};

/// As what sums are made of.
template <typename F>
__device__ F widened(F factor) {
    return factor;
}
__device__ float widened(Half factor) {
    float whole;
    asm("cvt.f32.f16 %0, %1;" : "=f"(whole) : "h"(factor.bits));
    return whole;
}
__device__ float widened(Bfloat16 factor) {
    return __uint_as_float(static_cast<unsigned>(factor.bits) << 16);
}
template <typename F>
using SumOf = decltype(widened(F()));

/// Operands of one batch of one firing, with factors of type F.
template <typename F>
struct Operands {
    using T = SumOf<F>;
    T *out;
    const F *a, *b;
    const T *added[STRC_ADDENDS];
    __device__ Operands(const strc_contraction &c, int batch, int firing)
        : out(static_cast<T *>(c.out) + firing * c.out_per_firing + at(c.batch_out, batch)),
          a(static_cast<const F *>(c.a) + firing * c.a_per_firing + at(c.batch_a, batch)),
          b(static_cast<const F *>(c.b) + firing * c.b_per_firing + at(c.batch_b, batch)) {
#pragma unroll
        for (int k = 0; k < STRC_ADDENDS; ++k)
            added[k] = static_cast<const T *>(c.added[k].at) + firing * c.added[k].per_firing +
                       at(c.added[k].batch, batch);
    }

    /// Leaves a sum with what follows it: addends, then bounds. Numbers that are none stay.
    __device__ void finish(const strc_contraction &c, int row, int column, T sum) const {
#pragma unroll
        for (int k = 0; k < STRC_ADDENDS; ++k)
            if (k < c.addends)
                sum += added[k][at(c.added[k].row, row) + at(c.added[k].column, column)];
        if (c.is_bounded) sum = sum < T(c.low) ? T(c.low) : sum > T(c.high) ? T(c.high) : sum;
        out[at(c.row_out, row) + at(c.column_out, column)] = sum;
    }

    /// Leaves the sum of one of the parts, or what has become of it if there is one. Places beyond the result are none.
    __device__ void leave(const strc_contraction &c, int part, int which, int row, int column, T sum) const {
        if (row >= c.rows || column >= c.columns) return;
        if (c.parts == 1) return finish(c, row, column, sum);
        const long long wholes = static_cast<long long>(c.batches) * c.firings;
        static_cast<T *>(c.partial)[((part * wholes + which) * c.rows + row) * c.columns + column] = sum;
    }
};

/// The sums from `first` to before `end`.
struct Part {
    int first, end;
    __device__ Part(const strc_contraction &c, int part) {
        const int length = (c.sums + c.parts - 1) / c.parts;
        first = part * length;
        end = min(c.sums, first + length);
    }
};

constexpr int kDepth = 16;  ///< sums of a tile at once; on tensor cores words of them
constexpr int kSide = 4;  ///< of a thread's part
constexpr int kLoads = STRC_TILE * kDepth / STRC_TILE_THREADS;
constexpr int kRow = STRC_TILE + 4;  ///< padded, so that columns lie in several banks

/// Which elements of a tile a thread loads: neighbouring threads take neighbours in memory.
struct Share {
    int line[kLoads], depth[kLoads];
    __device__ Share(bool alongSums) {
        for (int k = 0; k < kLoads; ++k) {
            const int item = threadIdx.x + k * STRC_TILE_THREADS;
            depth[k] = alongSums ? item % kDepth : item / STRC_TILE;
            line[k] = alongSums ? item / kDepth : item % STRC_TILE;
        }
    }
};

/// One tile, of one part of the sums.
template <typename F>
__device__ void tileAt(const strc_contraction &c, int column, int row, int part, int which) {
    using T = SumOf<F>;
    __shared__ __align__(16) T as[kDepth][kRow], bs[kDepth][kRow];
    const Operands<F> on(c, which % c.batches, which / c.batches);
    const Part sums(c, part);
    const Share forA(c.a_along_sums), forB(c.b_along_sums);
    int rowAt[kLoads], columnAt[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
        rowAt[k] = row + forA.line[k] < c.rows ? at(c.row_a, row + forA.line[k]) : -1;
        columnAt[k] = column + forB.line[k] < c.columns ? at(c.column_b, column + forB.line[k]) : -1;
    }
    const int x = threadIdx.x % (STRC_TILE / kSide) * kSide,
              y = threadIdx.x / (STRC_TILE / kSide) * kSide;
    T sum[kSide][kSide] = {};
    T nextA[kLoads], nextB[kLoads];
    auto fetch = [&](int from) {
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
            const int i = from + forA.depth[k], j = from + forB.depth[k];
            nextA[k] = i < sums.end && row + forA.line[k] < c.rows
                           ? widened(on.a[rowAt[k] + at(c.sum_a, i)]) : T(0);
            nextB[k] = j < sums.end && column + forB.line[k] < c.columns
                           ? widened(on.b[columnAt[k] + at(c.sum_b, j)]) : T(0);
        }
    };
    fetch(sums.first);
    for (int from = sums.first; from < sums.end; from += kDepth) {
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
            as[forA.depth[k]][forA.line[k]] = nextA[k];
            bs[forB.depth[k]][forB.line[k]] = nextB[k];
        }
        __syncthreads();
        if (from + kDepth < sums.end) fetch(from + kDepth);
#pragma unroll
        for (int depth = 0; depth < kDepth; ++depth) {
            T left[kSide], right[kSide];
#pragma unroll
            for (int k = 0; k < kSide; ++k) {
                left[k] = as[depth][y + k];
                right[k] = bs[depth][x + k];
            }
#pragma unroll
            for (int i = 0; i < kSide; ++i)
#pragma unroll
                for (int j = 0; j < kSide; ++j) sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kSide; ++i)
#pragma unroll
        for (int j = 0; j < kSide; ++j)
            on.leave(c, part, which, row + y + i, column + x + j, sum[i][j]);
}

// ---- on tensor cores

/// Neighbouring sums in a word as the tensor cores take them: one float, rounded to TF32, or two of the short ones.
template <typename F>
constexpr int kEach = sizeof(unsigned) / sizeof(F);

__device__ unsigned word(const float (&factors)[1]) {
    unsigned rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(factors[0]));
    return rounded;
}
template <typename F>
__device__ unsigned word(const F (&factors)[2]) {
    return static_cast<unsigned>(factors[1].bits) << 16 | factors[0].bits;
}

/// sum += a * b, of 16 rows, 8 columns and 8 words of sums, by a warp (PTX ISA, "Matrix Fragments for mma.m16n8k8" and
/// "... mma.m16n8k16", which agree in words). Lane 4g + t has rows g and g + 8 of a and of the sum, column g of b,
/// words t and t + 4 of both, and columns 2t and 2t + 1 of the sum.
#define STRC_MULTIPLY(F, kind)                                                                        \
    __device__ void multiply(F, float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {    \
        asm volatile("mma.sync.aligned." kind " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                                   \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                       \
    }
STRC_MULTIPLY(float, "m16n8k8.row.col.f32.tf32.tf32.f32")
STRC_MULTIPLY(Half, "m16n8k16.row.col.f32.f16.f16.f32")
STRC_MULTIPLY(Bfloat16, "m16n8k16.row.col.f32.bf16.bf16.f32")

constexpr int kWords = 8;  ///< of sums that a warp multiplies at once
constexpr int kHigh = 2, kWide = 2;  ///< parts of 16 x 8 that a warp has
constexpr int kAcross = STRC_TILE / (8 * kWide);  ///< warps side by side
constexpr int kWordRow = STRC_TILE + 8;  ///< padded, so that the lanes of a warp read from banks of their own
static_assert(STRC_TILE_THREADS / 32 / kAcross * 16 * kHigh == STRC_TILE, "warps cover the tile");

/// One tile, of one part of the sums.
template <typename F>
__device__ void tensorTileAt(const strc_contraction &c, int column, int row, int part, int which) {
    __shared__ unsigned as[kDepth][kWordRow], bs[kDepth][kWordRow];
    const Operands<F> on(c, which % c.batches, which / c.batches);
    const Part sums(c, part);
    const Share forA(c.a_along_sums), forB(c.b_along_sums);
    int rowAt[kLoads], columnAt[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
        rowAt[k] = row + forA.line[k] < c.rows ? at(c.row_a, row + forA.line[k]) : -1;
        columnAt[k] = column + forB.line[k] < c.columns ? at(c.column_b, column + forB.line[k]) : -1;
    }
    F nextA[kLoads][kEach<F>], nextB[kLoads][kEach<F>];
    auto fetch = [&](int from) {
#pragma unroll
        for (int k = 0; k < kLoads; ++k)
#pragma unroll
            for (int e = 0; e < kEach<F>; ++e) {
                const int i = from + forA.depth[k] * kEach<F> + e, j = from + forB.depth[k] * kEach<F> + e;
                nextA[k][e] = i < sums.end && row + forA.line[k] < c.rows ? on.a[rowAt[k] + at(c.sum_a, i)] : F{};
                nextB[k][e] = j < sums.end && column + forB.line[k] < c.columns
                                  ? on.b[columnAt[k] + at(c.sum_b, j)] : F{};
            }
    };
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int y = warp / kAcross * 16 * kHigh, x = warp % kAcross * 8 * kWide;
    float sum[kHigh][kWide][4] = {};
    fetch(sums.first);
    for (int from = sums.first; from < sums.end; from += kDepth * kEach<F>) {
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
            as[forA.depth[k]][forA.line[k]] = word(nextA[k]);
            bs[forB.depth[k]][forB.line[k]] = word(nextB[k]);
        }
        __syncthreads();
        if (from + kDepth * kEach<F> < sums.end) fetch(from + kDepth * kEach<F>);
#pragma unroll
        for (int depth = t; depth < kDepth; depth += kWords) {
            unsigned left[kHigh][4], right[kWide][2];
#pragma unroll
            for (int i = 0; i < kHigh; ++i)
#pragma unroll
                for (int k = 0; k < 4; ++k) left[i][k] = as[depth + k / 2 * 4][y + 16 * i + k % 2 * 8 + g];
#pragma unroll
            for (int j = 0; j < kWide; ++j)
#pragma unroll
                for (int k = 0; k < 2; ++k) right[j][k] = bs[depth + 4 * k][x + 8 * j + g];
#pragma unroll
            for (int i = 0; i < kHigh; ++i)
#pragma unroll
                for (int j = 0; j < kWide; ++j) multiply(F{}, sum[i][j], left[i], right[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kHigh; ++i)
#pragma unroll
        for (int j = 0; j < kWide; ++j)
#pragma unroll
            for (int k = 0; k < 4; ++k)
                on.leave(c, part, which, row + y + 16 * i + k / 2 * 8 + g, column + x + 8 * j + 2 * t + k % 2,
                         sum[i][j][k]);
}

// ---- the ways

/// A block for each tile of each part.
template <typename At>
__device__ void forTiles(const strc_contraction &c, At tileAt) {
    const int all = c.batches * c.firings * c.parts, rows = (c.rows + STRC_TILE - 1) / STRC_TILE;
    for (int z = blockIdx.z; z < all; z += gridDim.z)
        for (int y = blockIdx.y; y < rows; y += gridDim.y)
            tileAt(c, blockIdx.x * STRC_TILE, y * STRC_TILE, z % c.parts, z / c.parts);
}

/// Adds up what the parts of the sums have given.
template <typename F>
__device__ void gather(const strc_contraction &c) {
    const long long all = static_cast<long long>(c.firings) * c.batches * c.rows * c.columns;
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += step) {
        const SumOf<F> *partial = static_cast<const SumOf<F> *>(c.partial) + i;
        SumOf<F> sum = 0;
        for (int part = 0; part < c.parts; ++part) sum += partial[part * all];
        const int column = i % c.columns;
        const long long line = i / c.columns;
        const int row = line % c.rows, which = line / c.rows;
        const Operands<F> on(c, which % c.batches, which / c.batches);
        on.finish(c, row, column, sum);
    }
}

/// A thread for each column.
template <typename F>
__device__ void thin(const strc_contraction &c) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= c.columns) return;
    for (int which = blockIdx.y; which < c.batches * c.firings; which += gridDim.y) {
        const Operands<F> on(c, which % c.batches, which / c.batches);
        const F *b = on.b + at(c.column_b, column);
        SumOf<F> sum[STRC_THIN_ROWS] = {};
        for (int i = 0; i < c.sums; ++i) {
            const SumOf<F> right = widened(b[at(c.sum_b, i)]);
            const F *a = on.a + at(c.sum_a, i);
#pragma unroll
            for (int row = 0; row < STRC_THIN_ROWS; ++row)
                if (row < c.rows) sum[row] += widened(a[at(c.row_a, row)]) * right;
        }
#pragma unroll
        for (int row = 0; row < STRC_THIN_ROWS; ++row)
            if (row < c.rows) on.finish(c, row, column, sum[row]);
    }
}

/// A warp for each column.
template <typename F>
__device__ void dots(const strc_contraction &c) {
    const int lane = threadIdx.x % 32;
    const int column = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (column >= c.columns) return;
    for (int which = blockIdx.y; which < c.batches * c.firings; which += gridDim.y) {
        const Operands<F> on(c, which % c.batches, which / c.batches);
        const F *b = on.b + at(c.column_b, column);
        SumOf<F> sum[STRC_THIN_ROWS] = {};
#pragma unroll 4
        for (int i = lane; i < c.sums; i += 32) {
            const SumOf<F> right = widened(b[at(c.sum_b, i)]);
            const F *a = on.a + at(c.sum_a, i);
#pragma unroll
            for (int row = 0; row < STRC_THIN_ROWS; ++row)
                if (row < c.rows) sum[row] += widened(a[at(c.row_a, row)]) * right;
        }
#pragma unroll
        for (int row = 0; row < STRC_THIN_ROWS; ++row) {
            if (row >= c.rows) break;
            for (int half = 16; half > 0; half /= 2)
                sum[row] += __shfl_xor_sync(0xffffffffu, sum[row], half);
            if (lane == 0) on.finish(c, row, column, sum[row]);
        }
    }
}

}  // namespace

#define STRC_KERNELS(F, name)                                                                          \
    extern "C" __global__ void __launch_bounds__(STRC_TILE_THREADS)                                    \
        strc_tile_##name(const __grid_constant__ strc_contraction c) { forTiles(c, tileAt<F>); }       \
    extern "C" __global__ void strc_gather_##name(const __grid_constant__ strc_contraction c) {        \
        gather<F>(c);                                                                                  \
    }                                                                                                  \
    extern "C" __global__ void __launch_bounds__(STRC_THIN_THREADS)                                    \
        strc_thin_##name(const __grid_constant__ strc_contraction c) { thin<F>(c); }                   \
    extern "C" __global__ void __launch_bounds__(STRC_THIN_THREADS)                                    \
        strc_dots_##name(const __grid_constant__ strc_contraction c) { dots<F>(c); }

STRC_KERNELS(float, float)
STRC_KERNELS(double, double)
STRC_KERNELS(int, int)
STRC_KERNELS(Half, half)
STRC_KERNELS(Bfloat16, bfloat16)

#define STRC_TENSOR_KERNEL(F, name)                                                                    \
    extern "C" __global__ void __launch_bounds__(STRC_TILE_THREADS)                                    \
        strc_tensor_##name(const __grid_constant__ strc_contraction c) { forTiles(c, tensorTileAt<F>); }

STRC_TENSOR_KERNEL(float, float)
STRC_TENSOR_KERNEL(Half, half)
STRC_TENSOR_KERNEL(Bfloat16, bfloat16)

/// Rows of bytes between places of which no two overlap.
extern "C" __global__ void strc_rows(char *to, const char *from, long long perTo, long long perFrom,
                                     long long bytes, long long rows) {
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (long long row = blockIdx.y; row < rows; row += gridDim.y) {
        char *t = to + row * perTo;
        const char *f = from + row * perFrom;
        const bool isWide = ((reinterpret_cast<unsigned long long>(t) |
                              reinterpret_cast<unsigned long long>(f) | bytes) & 3) == 0;
        if (isWide)
            for (long long i = first; i < bytes / 4; i += step)
                reinterpret_cast<int *>(t)[i] = reinterpret_cast<const int *>(f)[i];
        else
            for (long long i = first; i < bytes; i += step) t[i] = f[i];
    }
}
