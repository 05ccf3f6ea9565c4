// Attention whose scores are never in memory (Dao, Fu, Ermon, Rudra and Ré, "FlashAttention: Fast and Memory-Efficient Exact
// Attention with IO-Awareness", NeurIPS 2022, section 3.1, algorithm 1): a block of threads has some queries, and goes through the keys
// tile by tile. With each tile the greatest score of a row may rise; what has been summed until then is made smaller accordingly
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). So sums are in the order of tiles, and each
// number is rounded once more for each tile that has a new greatest score.

#include "strc/attention.h"

namespace {

/// Threads of a row, rows of a thread, and how many numbers of a query or value there are at the most.
template <int Width, int Across, int Each>
struct Shape {
    static constexpr int width = Width, across = Across, each = Each;
    static constexpr int side = STRC_ATTENTION_THREADS / Across;  ///< from a row of a thread to its next one
    static constexpr int rows = side * Each;
    static constexpr int keys = STRC_ATTENTION_KEYS;
    static_assert(keys % Across == 0 && Width % Across == 0 && 32 % Across == 0, "the threads of a row are of one warp");
};

/// Where the arrays of one attention begin.
struct Begin {
    const float *query, *key, *value, *mask;
    float *out;
    __device__ Begin(const strc_attention &a, int which) {
        long long at[STRC_ATTENTION_ARRAYS];
#pragma unroll
        for (int k = 0; k < STRC_ATTENTION_ARRAYS; ++k) at[k] = which / a.batches * a.per_firing[k];
        int batch = which % a.batches;
        for (int loop = a.outer_count; loop-- > 0;) {
            const int item = batch % a.outer[loop].trips;
            batch /= a.outer[loop].trips;
#pragma unroll
            for (int k = 0; k < STRC_ATTENTION_ARRAYS; ++k)
                at[k] += static_cast<long long>(item) * a.outer[loop].step[k];
        }
        out = a.out + at[STRC_ATTENTION_OUT];
        query = a.query + at[STRC_ATTENTION_QUERY];
        key = a.key + at[STRC_ATTENTION_KEY];
        value = a.value + at[STRC_ATTENTION_VALUE];
        mask = a.mask ? a.mask + at[STRC_ATTENTION_MASK] : nullptr;
    }
};

/// `Rows` rows from `first` on, of an array whose rows and columns are loops; zeros where there are none. Padded, so that columns
/// lie in several banks.
template <int Rows, int Padded>
__device__ void load(float (&tile)[Rows][Padded], const float *from, const strc_attention_loop &rows,
                     const strc_attention_loop &columns, int array, int first, float factor) {
    constexpr int Width = Padded - 1;
    for (int i = threadIdx.x; i < Rows * Width; i += STRC_ATTENTION_THREADS) {
        const int row = i / Width, column = i % Width;
        const bool isThere = first + row < rows.trips && column < columns.trips;
        const long long at = static_cast<long long>(first + row) * rows.step[array] +
                             static_cast<long long>(column) * columns.step[array];
        tile[row][column] = isThere ? from[at] * factor : 0.0f;
    }
}

/// The threads of a row are neighbours.
template <int Across, typename Combine>
__device__ float ofRow(float number, Combine combine) {
#pragma unroll
    for (int half = Across / 2; half > 0; half /= 2)
        number = combine(number, __shfl_xor_sync(0xffffffffu, number, half));
    return number;
}

template <typename S>
struct Attending {
    static constexpr int kTile = S::keys / S::across, kValues = S::width / S::across;

    const strc_attention &a;
    const Begin on;
    const int first;  ///< query
    const int x = threadIdx.x % S::across, y = threadIdx.x / S::across;
    float sums[S::each][kValues] = {}, most[S::each], total[S::each] = {};

    __device__ Attending(const strc_attention &how, int which, int query) : a(how), on(how, which), first(query) {
#pragma unroll
        for (int i = 0; i < S::each; ++i) most[i] = -INFINITY;
    }

    __device__ void run(float (&query)[S::rows][S::width + 1], float (&tile)[S::keys][S::width + 1],
                        float (&powers)[S::rows][S::keys + 1]) {
        load(query, on.query, a.queries, a.width, STRC_ATTENTION_QUERY, first, a.scale);
        const int end = a.is_causal ? min(a.keys.trips, first + S::rows) : a.keys.trips;
        for (int key = 0; key < end; key += S::keys) {
            __syncthreads();  // nobody reads the values before any more
            load(tile, on.key, a.keys, a.width, STRC_ATTENTION_KEY, key, 1.0f);
            __syncthreads();
            float scores[S::each][kTile] = {};
            multiply(scores, query, tile);
            __syncthreads();
            load(tile, on.value, a.keys, a.values, STRC_ATTENTION_VALUE, key, 1.0f);
#pragma unroll
            for (int i = 0; i < S::each; ++i) weigh(i, key, scores[i], powers);
            __syncthreads();
            add(powers, tile);
        }
        __syncthreads();  // before the next attention of this block
        leave();
    }

    __device__ void multiply(float (&scores)[S::each][kTile], const float (&query)[S::rows][S::width + 1],
                             const float (&tile)[S::keys][S::width + 1]) const {
        for (int d = 0; d < a.width.trips; ++d) {
            float left[S::each], right[kTile];
#pragma unroll
            for (int i = 0; i < S::each; ++i) left[i] = query[y + i * S::side][d];
#pragma unroll
            for (int j = 0; j < kTile; ++j) right[j] = tile[x + j * S::across][d];
#pragma unroll
            for (int i = 0; i < S::each; ++i)
#pragma unroll
                for (int j = 0; j < kTile; ++j) scores[i][j] += left[i] * right[j];
        }
    }

    /// Scores of a row and a tile become powers, and what the row had becomes smaller if one of them is greater.
    __device__ void weigh(int i, int key, float (&scores)[kTile], float (&powers)[S::rows][S::keys + 1]) {
        const int row = first + y + i * S::side;
        float greatest = most[i];
#pragma unroll
        for (int j = 0; j < kTile; ++j) {
            scores[j] = masked(row, key + x + j * S::across, scores[j]);
            greatest = fmaxf(greatest, scores[j]);
        }
        greatest = ofRow<S::across>(greatest, [](float one, float other) { return fmaxf(one, other); });
        const float shrunk = greatest == most[i] ? 1.0f : expf(most[i] - greatest);
        most[i] = greatest;
        total[i] *= shrunk;
#pragma unroll
        for (int j = 0; j < kTile; ++j) {
            const float power = scores[j] == -INFINITY ? 0.0f : expf(scores[j] - greatest);
            total[i] += power;
            powers[y + i * S::side][x + j * S::across] = power;
        }
#pragma unroll
        for (int k = 0; k < kValues; ++k) sums[i][k] *= shrunk;
    }

    __device__ float masked(int row, int key, float score) const {
        if (key >= a.keys.trips || (a.is_causal && key > row)) return -INFINITY;
        if (!on.mask || row >= a.queries.trips) return score;
        return score + on.mask[static_cast<long long>(row) * a.queries.step[STRC_ATTENTION_MASK] +
                               static_cast<long long>(key) * a.keys.step[STRC_ATTENTION_MASK]];
    }

    __device__ void add(const float (&powers)[S::rows][S::keys + 1], const float (&tile)[S::keys][S::width + 1]) {
#pragma unroll 4
        for (int key = 0; key < S::keys; ++key)
#pragma unroll
            for (int i = 0; i < S::each; ++i) {
                const float power = powers[y + i * S::side][key];
#pragma unroll
                for (int k = 0; k < kValues; ++k) sums[i][k] += power * tile[key][x + k * S::across];
            }
    }

    __device__ void leave() {
#pragma unroll
        for (int i = 0; i < S::each; ++i) {
            const float all = ofRow<S::across>(total[i], [](float one, float other) { return one + other; });
            const int row = first + y + i * S::side;
            if (row >= a.queries.trips) continue;
            float *out = on.out + static_cast<long long>(row) * a.queries.step[STRC_ATTENTION_OUT];
#pragma unroll
            for (int k = 0; k < kValues; ++k)
                if (x + k * S::across < a.values.trips)
                    out[static_cast<long long>(x + k * S::across) * a.values.step[STRC_ATTENTION_OUT]] = sums[i][k] / all;
        }
    }
};

template <typename S>
__device__ void attend(const strc_attention &a) {
    __shared__ float query[S::rows][S::width + 1], tile[S::keys][S::width + 1], powers[S::rows][S::keys + 1];
    for (int which = blockIdx.y; which < a.batches * a.firings; which += gridDim.y)
        Attending<S>(a, which, blockIdx.x * S::rows).run(query, tile, powers);
}

}  // namespace

#define STRC_ATTENTION_KERNEL(name, width, across, each)                                               \
    extern "C" __global__ void __launch_bounds__(STRC_ATTENTION_THREADS)                               \
        strc_attend_##name(const __grid_constant__ strc_attention a) {                                 \
        attend<Shape<width, across, each>>(a);                                                         \
    }

// By width; tiles of many queries, and of few where there are not enough tiles (runtime/src/attention.c).
STRC_ATTENTION_KERNEL(many_32, 32, 8, 2)
STRC_ATTENTION_KERNEL(many_64, 64, 8, 2)
STRC_ATTENTION_KERNEL(many_128, 128, 8, 1)
STRC_ATTENTION_KERNEL(few_32, 32, 16, 1)
STRC_ATTENTION_KERNEL(few_64, 64, 16, 1)
STRC_ATTENTION_KERNEL(few_128, 128, 16, 1)
