/* Plays a sound through room.str as a sound card would have it played: some driver calls back, again and again, for
 * as many samples as it likes, and the answer has to be there at once. Here the driver is a loop over a
 * WAV file (16 bits, one channel) that calls for blocks of changing sizes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroom.h"

/* ---- the callback: what runs in the driver's thread; it must not wait for anything */

static int callback(const float* in, float* out, size_t frames, void* user) {
    size_t taken, given;
    int status = Room_process(user, in, frames, out, frames, &taken, &given);
    /* The room is late by Room_LATENCY samples, which were given to it beforehand; so there are always enough. */
    return status == Room_OK && given == frames ? 0 : -1;
}

static Room_handle* open_room(float strength) {
    int status;
    Room_handle* room = Room_create(&status);
    if (!room) {
        fprintf(stderr, status == Room_MEMORY ? "no memory\n" : "not for this processor\n");
        exit(1);
    }
    Room_set_strength(room, strength);
    float silence[Room_LATENCY + 1] = {0}, nothing[1];
    size_t taken, given;
    Room_process(room, silence, Room_LATENCY, nothing, 1, &taken, &given);
    return room;
}

/* ---- the driver */

typedef struct sound {
    unsigned char* file; /* with its header */
    size_t size, frames;
    unsigned char* data;
} sound;

static sound read_sound(const char* name) {
    sound all = {malloc(1 << 20), 0, 0, NULL};
    FILE* file = fopen(name, "rb");
    if (!file || !all.file) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(1);
    }
    all.size = fread(all.file, 1, 1 << 20, file);
    fclose(file);
    for (size_t at = 12; at + 8 <= all.size && !all.data;) {
        const unsigned char* s = all.file + at + 4;
        size_t size = s[0] | s[1] << 8 | s[2] << 16 | (size_t)s[3] << 24;
        if (memcmp(all.file + at, "data", 4) == 0 && size <= all.size - at - 8) {
            all.data = all.file + at + 8;
            all.frames = size / 2;
        }
        at += 8 + size;
    }
    if (!all.data) {
        fprintf(stderr, "%s is not a WAV file\n", name);
        exit(1);
    }
    return all;
}

static void play(sound* all, void* user) {
    enum { kMost = 512 };
    static float in[kMost], out[kMost];
    static const size_t blocks[] = {64, 64, 512, 1, 100, 480, 37}; /* drivers differ */
    size_t frames;
    for (size_t at = 0, k = 0; at < all->frames; at += frames, ++k) {
        frames = blocks[k % 7] < all->frames - at ? blocks[k % 7] : all->frames - at;
        unsigned char* samples = all->data + 2 * at;
        for (size_t i = 0; i < frames; ++i)
            in[i] = (float)(int16_t)(samples[2 * i] | samples[2 * i + 1] << 8) / 32768;
        if (callback(in, out, frames, user) != 0) {
            fprintf(stderr, "%s\n", Room_message(user));
            exit(1);
        }
        for (size_t i = 0; i < frames; ++i) {
            int sample = (int)(32767 * out[i]);
            samples[2 * i] = (unsigned char)sample;
            samples[2 * i + 1] = (unsigned char)(sample >> 8);
        }
    }
}

int main(int argc, char** argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s IN.wav OUT.wav STRENGTH\n", argv[0]);
        return 2;
    }
    sound all = read_sound(argv[1]);
    Room_handle* room = open_room(strtof(argv[3], NULL));
    play(&all, room);
    Room_destroy(room);
    FILE* file = fopen(argv[2], "wb");
    if (!file || fwrite(all.file, 1, all.size, file) != all.size || fclose(file) != 0) return 1;
    free(all.file);
    return 0;
}
