#pragma once
// Fourier transforms in place: radix two, decimation in time.

#include "fir.h"

struct Complex {
    float real, imag;
};

inline Complex operator+(Complex a, Complex b) { return {a.real + b.real, a.imag + b.imag}; }
inline Complex operator-(Complex a, Complex b) { return {a.real - b.real, a.imag - b.imag}; }
inline Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}

inline float magnitude(Complex z) {
    double real = z.real, imag = z.imag;
    return static_cast<float>(std::sqrt(real * real + imag * imag));
}

/// exp(sign 2 pi j k / size) as the library of strc has it: from doubles, and exact at the quarters.
inline Complex turn(int k, int size, float sign) {
    if (4 * k == size) return {0, sign};
    if (2 * k == size) return {-1, 0};
    const double angle = 6.283185307179586 * k / size;
    return {static_cast<float>(std::cos(angle)), sign * static_cast<float>(std::sin(angle))};
}

enum class Twiddles { FromFloats, OfLibrary };

/// The transform of `size` points with exp(sign 2 pi j i k / size).
template <int size>
class Fft {
public:
    explicit Fft(float sign = -1, Twiddles twiddles = Twiddles::FromFloats) {
        for (int i = 0; i < size; i++)
            for (int m = 1, rest = i; m < size; m *= 2, rest /= 2)
                from_[i] = 2 * from_[i] + rest % 2;
        for (int m = 2; m <= size; m *= 2) {
            for (int k = 0; k < m / 2; k++) {
                float angle = 2 * kPi * static_cast<float>(k) / static_cast<float>(m);
                w_[m / 2 + k] = {cosine(angle), sign * sine(angle)};
                if (twiddles == Twiddles::OfLibrary) w_[m / 2 + k] = turn(k, m, sign);
            }
        }
    }

    void run(const Complex* in, Complex* x) const {
        for (int i = 0; i < size; i++) x[i] = in[from_[i]];
        for (int half = 1; half < size; half *= 2) {
            for (int start = 0; start < size; start += 2 * half) {
                for (int k = 0; k < half; k++) {
                    Complex a = x[start + k], b = w_[half + k] * x[start + half + k];
                    x[start + k] = a + b;
                    x[start + half + k] = a - b;
                }
            }
        }
    }

private:
    int from_[size] = {};
    Complex w_[size];  ///< of the stage of 2 h points: h ... 2 h - 1
};
