/* Plays a sound through amp.str as a sound card would have it played: some driver calls back for one block after the
 * other, and the answer has to be there before the last block has been heard. Here the driver is a loop
 * over a WAV file (16 bits, one channel), which also takes the time of each call. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libamp.h"

enum { kRate = 16000, kBlock = 64, kHeader = 44 };

/* ---- the callback: what runs in the driver's thread. It allocates nothing, waits for nothing, and hears no sample late. */

static int callback(const float* in, float* out, size_t frames, void* user) {
    size_t taken, given;
    int status = Amp_process(user, in, frames, out, frames, &taken, &given);
    return status == Amp_OK && given == frames ? 0 : -1;
}

/* ---- the driver */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void play(int16_t* samples, size_t count, void* user) {
    float in[kBlock], out[kBlock];
    double all = 0, longest = 0;
    size_t frames;
    for (size_t at = 0; at < count; at += frames) {
        frames = count - at < kBlock ? count - at : kBlock;
        for (size_t i = 0; i < frames; ++i) in[i] = (float)samples[at + i] / 32768;
        double begin = now();
        if (callback(in, out, frames, user) != 0) {
            fprintf(stderr, "%s\n", Amp_message(user));
            exit(1);
        }
        double took = now() - begin;
        all += took;
        if (took > longest) longest = took;
        for (size_t i = 0; i < frames; ++i) {
            float limited = out[i] > 1 ? 1 : out[i] < -1 ? -1 : out[i];
            samples[at + i] = (int16_t)(32767 * limited);
        }
    }
    fprintf(stderr,
            "%.3f s of sound in %.3f s; the longest of the blocks of %.1f ms took %.3f ms\n",
            (double)count / kRate, all, 1e3 * kBlock / kRate, 1e3 * longest);
}

static unsigned number(const unsigned char* from, int bytes) {
    unsigned made = 0;
    while (bytes-- > 0) made = made << 8 | from[bytes];
    return made;
}

/* The network was trained on sound of one kind; other sound would come out, but wrong. */
static int is_right(const unsigned char* wav) {
    return number(wav + 22, 2) == 1 && number(wav + 24, 4) == kRate && number(wav + 34, 2) == 16 &&
           memcmp(wav + 36, "data", 4) == 0;
}

static unsigned char* read_all(const char* name, size_t* size) {
    enum { kMost = 1 << 24 };
    unsigned char* bytes = malloc(kMost);
    FILE* file = fopen(name, "rb");
    *size = file && bytes ? fread(bytes, 1, kMost, file) : 0;
    if (*size < kHeader || memcmp(bytes, "RIFF", 4) != 0) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(1);
    }
    if (!is_right(bytes)) {
        fprintf(stderr,
                "%s is not what it takes: a plain WAV file of one channel, 16 bits, %d Hz\n", name,
                kRate);
        exit(1);
    }
    fclose(file);
    return bytes;
}

int main(int argc, char** argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s IN.wav OUT.wav DRIVE\n", argv[0]);
        return 2;
    }
    size_t size;
    unsigned char* bytes = read_all(argv[1], &size);
    int status;
    Amp_handle* amp = Amp_create(&status);
    if (!amp) {
        fprintf(stderr, status == Amp_MEMORY ? "no memory\n" : "not for this processor\n");
        return 1;
    }
    Amp_set_drive(amp, strtof(argv[3], NULL));
    play((int16_t*)(bytes + kHeader), (size - kHeader) / 2, amp);
    Amp_destroy(amp);
    FILE* file = fopen(argv[2], "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) return 1;
    free(bytes);
    return 0;
}
