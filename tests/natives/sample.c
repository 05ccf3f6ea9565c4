/* Native functions that natives.str calls, one for each kind of value that can be passed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int32_t Sample_sum(int32_t a, int32_t b) { return a + b; }
float Sample_half(float x) { return x / 2; }
uint8_t Sample_odd(int32_t n) { return n & 1; }
int32_t Sample_length(const char* text) { return (int32_t)strlen(text); }
void Sample_squares(int32_t n, int32_t* row) {
    for (int32_t i = 0; i < n; i++) row[i] = i * i;
}
struct Point {
    int32_t id;
    float x;
};
float Sample_scaled(struct Point* p, float by) { return p->id + p->x * by; }
