// Runs the class `Program` that Faust has made of a .dsp file with one input and one output.

#include <faust/dsp/dsp.h>
#include <faust/gui/UI.h>
#include <faust/gui/meta.h>

#include "faust.inc"
#include "twin.h"

static constexpr int kBlock = 1024;
static float in[kBlock], out[kBlock];

int main(int argc, char** argv) {
    static Program program;
    program.init(48000);
    Twin twin(argc, argv);
    float *inputs[] = {in}, *outputs[] = {out};
    while (std::size_t n = twin.read(in, kBlock)) {
        program.compute(static_cast<int>(n), inputs, outputs);
        twin.write(out, n);
    }
}
