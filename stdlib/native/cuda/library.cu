// All kernels that strc brings along for CUDA devices.

#include "attention.cu"
#include "contract.cu"
