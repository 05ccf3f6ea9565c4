// programs/fft.str with FFTW.

#include <fftw3.h>

#include "twin.h"

static constexpr int kSize = 512;

int main(int argc, char** argv) {
    fftwf_complex* x = fftwf_alloc_complex(kSize);
    fftwf_complex* y = fftwf_alloc_complex(kSize);
    fftwf_plan plan = fftwf_plan_dft_1d(kSize, x, y, FFTW_FORWARD, FFTW_MEASURE);
    {
        Twin twin(argc, argv);
        while (twin.read(x, kSize, kSize)) {
            fftwf_execute(plan);
            twin.write(y, kSize);
        }
    }
    fftwf_destroy_plan(plan);
    fftwf_free(x);
    fftwf_free(y);
}
