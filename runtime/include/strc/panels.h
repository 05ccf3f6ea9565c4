/// Panels: elements of a matrix in the order in which a product takes them. A panel has some columns side by side, sum by sum,
/// as whole vectors; the products that LLVM makes of them are those of src/codegen/detail/product.h. The compiler makes
/// panels of what it knows, and an executable of what it reads when it starts.
#ifndef STRC_PANELS_H
#define STRC_PANELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STRC_PANEL_WIDTH 1024  ///< columns of a panel, at most

typedef struct strc_panel_loop {
    int64_t trips, step;  ///< in elements
} strc_panel_loop;

typedef struct strc_panels {
    uint64_t element;  ///< bytes
    int64_t first;  ///< element of the matrix
    int64_t lanes;  ///< of a vector
    int64_t width;  ///< columns of a panel
    /// So many elements of a column, this step apart, lie side by side and are one of the sums.
    int64_t word, word_step;
    uint32_t column_loops, sum_loops;
} strc_panels;

/// `loops`: those of the columns, then those of the sums, outermost first. `to`: zeros, of which those stay that fill
/// vectors up.
void strc_make_panels(const strc_panels *, const strc_panel_loop *loops, void *to,
                      const void *from);

#ifdef __cplusplus
}
#endif
#endif
