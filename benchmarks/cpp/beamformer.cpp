// Twin of programs/beamformer.str: real and imaginary parts apart, so that they fill vectors.

#include "fft.h"
#include "twin.h"

static constexpr int kAntennas = 12, kBeams = 4, kTaps = 64, kBlock = 1024;

/// A filter with complex coefficients and what it has not used up yet.
template <int decimation>
class Filter {
public:
    explicit Filter(float frequency) {
        for (int i = 0; i < kTaps; i++) {
            auto place = static_cast<float>(i);
            float window = 0.54F - 0.46F * cosine(2 * kPi * place / (kTaps - 1));
            h_[i].real = window / kTaps * cosine(2 * kPi * frequency * place);
            h_[i].imag = window / kTaps * sine(2 * kPi * frequency * place);
        }
    }

    void put(Complex z) {
        real_[count_] = z.real;
        imag_[count_++] = z.imag;
    }

    /// What the items that are there give; how many.
    std::size_t run(Complex* out) {
        if (count_ < kTaps) return 0;
        std::size_t n = (count_ - kTaps) / decimation + 1;
        for (std::size_t i = 0; i < n; i += kLanes) window(i, std::min(kLanes, n - i), out + i);
        count_ -= decimation * n;
        std::copy_n(real_ + decimation * n, count_, real_);
        std::copy_n(imag_ + decimation * n, count_, imag_);
        return n;
    }

private:
    void window(std::size_t i, std::size_t n, Complex* out) {
        float re[kLanes] = {}, im[kLanes] = {};
        for (int k = 0; k < kTaps; k++) {
            for (std::size_t j = 0; j < kLanes; j++) {
                float a = real_[decimation * (i + j) + k], b = imag_[decimation * (i + j) + k];
                re[j] += h_[k].real * a - h_[k].imag * b;
                im[j] += h_[k].real * b + h_[k].imag * a;
            }
        }
        for (std::size_t j = 0; j < n; j++) out[j] = {re[j], im[j]};
    }

    static constexpr std::size_t kRoom = kTaps + kBlock + decimation * kLanes;
    Complex h_[kTaps];
    float real_[kRoom] = {}, imag_[kRoom] = {};
    std::size_t count_ = 0;
};

struct Beam {
    explicit Beam(float direction) {
        for (int i = 0; i < kAntennas; i++) {
            float angle = kPi * static_cast<float>(i) * sine(direction);
            weight[i] = {cosine(angle), -sine(angle)};
        }
    }
    Complex weight[kAntennas];
    Filter<1> matched{0.31F};
};

struct Antenna {
    explicit Antenna(float i) : first(0.11F + 0.01F * i), second(0.23F - 0.01F * i) {}
    Filter<2> first, second;
};

static Complex samples[kBlock][kAntennas], between[kBlock], fine[kAntennas][kBlock];
static Complex formed[kBlock];
static float result[kBlock][kBeams];

int main(int argc, char** argv) {
    static Antenna antennas[] = {Antenna(0), Antenna(1), Antenna(2),  Antenna(3),
                                 Antenna(4), Antenna(5), Antenna(6),  Antenna(7),
                                 Antenna(8), Antenna(9), Antenna(10), Antenna(11)};
    static Beam beams[] = {Beam(0), Beam(0.4F), Beam(0.4F * 2), Beam(0.4F * 3)};
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(&samples[0][0], kBlock * kAntennas, kAntennas) / kAntennas) {
        std::size_t count = 0;
        for (int antenna = 0; antenna < kAntennas; antenna++) {
            Antenna& at = antennas[antenna];
            for (std::size_t i = 0; i < n; i++) at.first.put(samples[i][antenna]);
            std::size_t coarse = at.first.run(between);
            for (std::size_t i = 0; i < coarse; i++) at.second.put(between[i]);
            count = at.second.run(fine[antenna]);
        }
        std::size_t results = 0;
        for (int beam = 0; beam < kBeams; beam++) {
            for (std::size_t i = 0; i < count; i++) {
                Complex sum = {0, 0};
                for (int antenna = 0; antenna < kAntennas; antenna++)
                    sum = sum + beams[beam].weight[antenna] * fine[antenna][i];
                beams[beam].matched.put(sum);
            }
            results = beams[beam].matched.run(formed);
            for (std::size_t i = 0; i < results; i++) result[i][beam] = magnitude(formed[i]);
        }
        twin.write(&result[0][0], kBeams * results);
    }
}
