/// Features of the processor that executes this.
#ifndef STRC_PROCESSOR_H
#define STRC_PROCESSOR_H

#include <stdint.h>

/// The first of the wanted features (bits by the rows of processor_features.def) that this processor does
/// not have; null: it has them all.
const char *strc_missing_feature(uint64_t wanted);

/// A number by which models of processors differ; 0: this one does not say.
uint64_t strc_processor_identity(void);

#endif
