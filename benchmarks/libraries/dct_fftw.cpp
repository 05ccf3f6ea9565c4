// programs/dct.str with FFTW, whose transforms are scaled differently.

#include <cmath>
#include <fftw3.h>

#include "twin.h"

static constexpr int kSize = 8, kItems = kSize * kSize;

int main(int argc, char** argv) {
    float* x = fftwf_alloc_real(kItems);
    float* y = fftwf_alloc_real(kItems);
    fftwf_plan plan =
        fftwf_plan_r2r_2d(kSize, kSize, x, y, FFTW_REDFT10, FFTW_REDFT10, FFTW_MEASURE);
    float scale[kItems];
    for (int i = 0; i < kItems; i++) {
        float row = i / kSize == 0 ? std::sqrt(0.5F) : 1,
              column = i % kSize == 0 ? std::sqrt(0.5F) : 1;
        scale[i] = row * column / (2 * kSize);
    }
    {
        Twin twin(argc, argv);
        while (twin.read(x, kItems, kItems)) {
            fftwf_execute(plan);
            for (int i = 0; i < kItems; i++) y[i] *= scale[i];
            twin.write(y, kItems);
        }
    }
    fftwf_destroy_plan(plan);
    fftwf_free(x);
    fftwf_free(y);
}
