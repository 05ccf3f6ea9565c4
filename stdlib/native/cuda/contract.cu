// Sums of products: matrices, convolutions and whatever else is one (strc/contraction.h). Three ways: tiles in shared
// memory, each thread with a part of 4 x 4 in registers; few rows with neighbouring columns side by side; few rows
// with neighbouring sums side by side. Results of one element are always added up in the same order.

#include "strc/contraction.h"

namespace {

__device__ int at(const strc_offsets &offsets, int i) {
    return offsets.table ? __ldg(offsets.table + i) : i * offsets.step;
}

/// Operands of one batch of one firing.
template <typename T>
struct Operands {
    T *out;
    const T *a, *b;
    const T *added[STRC_ADDENDS];
    __device__ Operands(const strc_contraction &c, int batch, int firing)
        : out(static_cast<T *>(c.out) + firing * c.out_per_firing + at(c.batch_out, batch)),
          a(static_cast<const T *>(c.a) + firing * c.a_per_firing + at(c.batch_a, batch)),
          b(static_cast<const T *>(c.b) + firing * c.b_per_firing + at(c.batch_b, batch)) {
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
};

constexpr int kDepth = 16;  ///< sums of a tile at once
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
template <typename T>
__device__ void tileAt(const strc_contraction &c, int column, int row, int part, int which) {
    __shared__ __align__(16) T as[kDepth][kRow], bs[kDepth][kRow];
    const int batch = which % c.batches, firing = which / c.batches;
    const Operands<T> on(c, batch, firing);
    const int length = (c.sums + c.parts - 1) / c.parts;
    const int first = part * length, end = min(c.sums, first + length);
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
            nextA[k] = i < end && row + forA.line[k] < c.rows ? on.a[rowAt[k] + at(c.sum_a, i)] : T(0);
            nextB[k] = j < end && column + forB.line[k] < c.columns
                           ? on.b[columnAt[k] + at(c.sum_b, j)] : T(0);
        }
    };
    fetch(first);
    for (int from = first; from < end; from += kDepth) {
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
            as[forA.depth[k]][forA.line[k]] = nextA[k];
            bs[forB.depth[k]][forB.line[k]] = nextB[k];
        }
        __syncthreads();
        if (from + kDepth < end) fetch(from + kDepth);
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
    for (int i = 0; i < kSide; ++i) {
        if (row + y + i >= c.rows) continue;
        const long long line = static_cast<long long>(which) * c.rows + row + y + i;
        T *partial = static_cast<T *>(c.partial) +
                     (static_cast<long long>(part) * c.batches * c.firings * c.rows + line) * c.columns;
#pragma unroll
        for (int j = 0; j < kSide; ++j) {
            const int there = column + x + j;
            if (there >= c.columns) continue;
            if (c.parts > 1)
                partial[there] = sum[i][j];
            else
                on.finish(c, row + y + i, there, sum[i][j]);
        }
    }
}

template <typename T>
__device__ void tile(const strc_contraction &c) {
    const int all = c.batches * c.firings * c.parts, rows = (c.rows + STRC_TILE - 1) / STRC_TILE;
    for (int z = blockIdx.z; z < all; z += gridDim.z)
        for (int y = blockIdx.y; y < rows; y += gridDim.y)
            tileAt<T>(c, blockIdx.x * STRC_TILE, y * STRC_TILE, z % c.parts, z / c.parts);
}

/// Adds up what the parts of the sums have given.
template <typename T>
__device__ void gather(const strc_contraction &c) {
    const long long all = static_cast<long long>(c.firings) * c.batches * c.rows * c.columns;
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += step) {
        const T *partial = static_cast<const T *>(c.partial) + i;
        T sum = 0;
        for (int part = 0; part < c.parts; ++part) sum += partial[part * all];
        const int column = i % c.columns;
        const long long line = i / c.columns;
        const int row = line % c.rows, which = line / c.rows;
        const Operands<T> on(c, which % c.batches, which / c.batches);
        on.finish(c, row, column, sum);
    }
}

/// A thread for each column.
template <typename T>
__device__ void thin(const strc_contraction &c) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= c.columns) return;
    for (int which = blockIdx.y; which < c.batches * c.firings; which += gridDim.y) {
        const Operands<T> on(c, which % c.batches, which / c.batches);
        const T *b = on.b + at(c.column_b, column);
        T sum[STRC_THIN_ROWS] = {};
        for (int i = 0; i < c.sums; ++i) {
            const T right = b[at(c.sum_b, i)];
            const T *a = on.a + at(c.sum_a, i);
#pragma unroll
            for (int row = 0; row < STRC_THIN_ROWS; ++row)
                if (row < c.rows) sum[row] += a[at(c.row_a, row)] * right;
        }
#pragma unroll
        for (int row = 0; row < STRC_THIN_ROWS; ++row)
            if (row < c.rows) on.finish(c, row, column, sum[row]);
    }
}

/// A warp for each column.
template <typename T>
__device__ void dots(const strc_contraction &c) {
    const int lane = threadIdx.x % 32;
    const int column = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (column >= c.columns) return;
    for (int which = blockIdx.y; which < c.batches * c.firings; which += gridDim.y) {
        const Operands<T> on(c, which % c.batches, which / c.batches);
        const T *b = on.b + at(c.column_b, column);
        T sum[STRC_THIN_ROWS] = {};
#pragma unroll 4
        for (int i = lane; i < c.sums; i += 32) {
            const T right = b[at(c.sum_b, i)];
            const T *a = on.a + at(c.sum_a, i);
#pragma unroll
            for (int row = 0; row < STRC_THIN_ROWS; ++row)
                if (row < c.rows) sum[row] += a[at(c.row_a, row)] * right;
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

#define STRC_KERNELS(T, name)                                                                          \
    extern "C" __global__ void __launch_bounds__(STRC_TILE_THREADS)                                    \
        strc_tile_##name(const __grid_constant__ strc_contraction c) { tile<T>(c); }                   \
    extern "C" __global__ void strc_gather_##name(const __grid_constant__ strc_contraction c) {        \
        gather<T>(c);                                                                                  \
    }                                                                                                  \
    extern "C" __global__ void __launch_bounds__(STRC_THIN_THREADS)                                    \
        strc_thin_##name(const __grid_constant__ strc_contraction c) { thin<T>(c); }                   \
    extern "C" __global__ void __launch_bounds__(STRC_THIN_THREADS)                                    \
        strc_dots_##name(const __grid_constant__ strc_contraction c) { dots<T>(c); }

STRC_KERNELS(float, float)
STRC_KERNELS(double, double)
STRC_KERNELS(int, int)

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
