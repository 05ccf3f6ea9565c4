// Headers of RIFF WAVE files, and of RF64, which has sizes of 64 bits in a chunk of its own.
#include <string.h>

#include "strc/sounds.h"

enum {
    kInteger = 1,
    kFloating = 3,
    kALaw = 6,
    kMuLaw = 7,
    kExtensible = 0xFFFE,  // the real code stands in the extension
    kMostChunks = 1 << 16,  // before the samples: of what never ends there is no end otherwise
    kShortestFormat = 16,
    kWithSubformat = 40,
    kLongestFormat = 1 << 12,
    kLongSizes = 24,
    kHighestRate = INT32_MAX,
};
enum chunk { kRiff, kAny, kFormat, kLong };

static const uint32_t unknown_size = 0xFFFFFFFFu;
const uint64_t strc_wav_longest = 0xFFFFFFFFull - 1024;
const char strc_wav_ends[] = "it ends in its header";

static uint32_t little(const unsigned char *bytes, int size) {
    uint32_t value = 0;
    for (int k = 0; k < size; ++k) value |= (uint32_t)bytes[k] << 8 * k;
    return value;
}

static uint64_t little_64(const unsigned char *bytes) {
    return little(bytes, 4) | (uint64_t)little(bytes + 4, 4) << 32;
}

static int is_named(const unsigned char *bytes, const char *name) {
    return memcmp(bytes, name, 4) == 0;
}

static void refuse(strc_wav *wav, const char *why) {
    wav->wrong = why;
    wav->wanted = 0;
}

static void want(strc_wav *wav, enum chunk chunk, uint64_t skip, uint32_t wanted) {
    wav->chunk = chunk;
    wav->skip = skip;
    wav->wanted = wanted;
}

void strc_wav_begin(strc_wav *wav, uint64_t file) {
    *wav = (strc_wav){.file = file};
    want(wav, kRiff, 0, 12);
}

static void read_riff(strc_wav *wav, const unsigned char *bytes) {
    wav->is_long = is_named(bytes, "RF64") || is_named(bytes, "BW64");
    if ((!is_named(bytes, "RIFF") && !wav->is_long) || !is_named(bytes + 8, "WAVE")) {
        refuse(wav, "it does not begin as one");
        return;
    }
    wav->whole = little(bytes + 4, 4);
    want(wav, kAny, 0, 8);
}

// ---- the format

/// The codes of the extension are those of WAVE within an identifier that is always the same, or the one for
/// directional sound.
static int code_of_subformat(const unsigned char *subformat) {
    static const unsigned char wave[14] = {0, 0, 0,    0, 0x10, 0,    0x80,
                                           0, 0, 0xAA, 0, 0x38, 0x9B, 0x71};
    static const unsigned char ambisonic[14] = {0,    0,    0x21, 0x07, 0xD3, 0x11, 0x86,
                                                0x44, 0xC8, 0xC1, 0xCA, 0,    0,    0};
    const int is_known = memcmp(subformat + 2, wave, sizeof wave) == 0 ||
                         memcmp(subformat + 2, ambisonic, sizeof ambisonic) == 0;
    return is_known ? (int)little(subformat, 2) : -1;
}

/// A sample of fewer bits than its bytes have stands at the top of them.
static int is_known(int code, unsigned bits) {
    switch (code) {
        case kInteger: return bits >= 1 && bits <= 32;
        case kFloating: return bits == 32 || bits == 64;
        case kALaw:
        case kMuLaw: return bits == 8;
        default: return 0;
    }
}

static strc_coding coding_of(int code, uint32_t size) {
    switch (code) {
        case kFloating: return STRC_SAMPLE_FLOATING;
        case kALaw: return STRC_SAMPLE_A_LAW;
        case kMuLaw: return STRC_SAMPLE_MU_LAW;
        default: return size == 1 ? STRC_SAMPLE_UNSIGNED : STRC_SAMPLE_SIGNED;
    }
}

static void read_format(strc_wav *wav, const unsigned char *bytes, uint32_t count) {
    int code = (int)little(bytes, 2);
    if (code == kExtensible && count >= kWithSubformat) code = code_of_subformat(bytes + 24);
    const unsigned bits = little(bytes + 14, 2);
    const uint32_t frame = little(bytes + 12, 2);
    wav->channels = little(bytes + 2, 2);
    wav->rate = little(bytes + 4, 4);
    const uint32_t size = (bits + 7) / 8;
    if (!is_known(code, bits)) {
        refuse(wav, "its samples are of a kind that is not known");
    } else if (wav->channels == 0 || wav->channels > STRC_WAV_CHANNELS || wav->rate == 0 ||
               wav->rate > kHighestRate || frame != wav->channels * size) {
        refuse(wav, "its header contradicts itself");
    } else {
        wav->sample = (strc_sample){coding_of(code, size), size};
        wav->bits = wav->sample.coding >= STRC_SAMPLE_A_LAW ? 16 : 8 * size;
        want(wav, kAny, wav->left, 8);
    }
}

// ---- the samples

/// Programs that write to pipes say that there are as many bytes as can be, or nearly, with a sign or without.
static int says_endless(uint64_t size) {
    return size >= 0xFFFF0000u || (size >= 0x7FFF0000u && size <= 0x80000000u);
}

/// The header was never completed: it tells of no samples, and the size of the whole does not go beyond them.
static int is_unfinished(const strc_wav *wav, uint64_t size) {
    return size == 0 && (says_endless(wav->whole) || wav->whole + 8 <= wav->start);
}

static void begin_samples(strc_wav *wav, uint32_t told) {
    uint64_t size = told;
    int is_endless = says_endless(size);
    if (wav->is_long && told == unknown_size) {
        size = wav->long_size;
        is_endless = size > INT64_MAX - wav->start;
    }
    const int is_there = wav->file != UINT64_MAX && size <= wav->file - wav->start;
    is_endless = is_unfinished(wav, size) || (is_endless && !is_there);
    wav->size = is_endless ? STRC_WAV_ENDLESS : size;
    wav->wanted = 0;
}

static void read_chunk(strc_wav *wav, const unsigned char *bytes) {
    const uint32_t size = little(bytes + 4, 4);
    const uint64_t padded = (uint64_t)size + size % 2;
    const int is_format = is_named(bytes, "fmt ");
    if (++wav->chunks > kMostChunks) {
        refuse(wav, "its header does not end");
    } else if (is_named(bytes, "data")) {
        if (wav->channels == 0)
            refuse(wav, "it does not tell its format");
        else
            begin_samples(wav, size);
    } else if (is_format && (size < kShortestFormat || size > kLongestFormat)) {
        refuse(wav, "its header is not known");
    } else if (is_format && wav->channels != 0) {
        refuse(wav, "it tells its format twice");
    } else if (is_format || (is_named(bytes, "ds64") && wav->is_long && size >= kLongSizes)) {
        const uint32_t most = is_format ? STRC_WAV_PIECE : kLongSizes;
        const uint32_t wanted = size < most ? size : most;
        wav->left = (uint32_t)(padded - wanted);
        want(wav, is_format ? kFormat : kLong, 0, wanted);
    } else {
        want(wav, kAny, padded, 8);
    }
}

static void read_long(strc_wav *wav, const unsigned char *bytes) {
    wav->whole = little_64(bytes);
    wav->long_size = little_64(bytes + 8);
    want(wav, kAny, wav->left, 8);
}

void strc_wav_read(strc_wav *wav, const unsigned char *bytes) {
    const uint32_t count = wav->wanted;
    wav->start += wav->skip + count;
    switch (wav->chunk) {
        case kRiff: read_riff(wav, bytes); break;
        case kFormat: read_format(wav, bytes, count); break;
        case kLong: read_long(wav, bytes); break;
        default: read_chunk(wav, bytes);
    }
}

// ---- writing

const char *strc_wav_refusal(int32_t rate, int32_t channels, int32_t bits, int is_floating) {
    if (rate < 0) return "sounds have at least 1 sample a second";
    if (channels < 0 || channels > STRC_WAV_CHANNELS) return "sounds have 1 to 1024 channels";
    if (bits == 0 || bits == 32 || bits == (is_floating ? 64 : 16)) return NULL;
    if (!is_floating && (bits == 8 || bits == 24)) return NULL;
    return is_floating ? "floating-point samples have 32 or 64 bits"
                       : "samples have 8, 16, 24 or 32 bits";
}

static unsigned char *put_little(unsigned char *to, uint32_t value, int size) {
    for (int k = 0; k < size; ++k) to[k] = (unsigned char)(value >> 8 * k);
    return to + size;
}

static unsigned char *put_name(unsigned char *to, const char *name, uint32_t size) {
    memcpy(to, name, 4);
    return put_little(to + 4, size, 4);
}

size_t strc_wav_header(const strc_wav *wav, uint64_t samples, unsigned char to[STRC_WAV_HEADER]) {
    const int is_floating = wav->sample.coding == STRC_SAMPLE_FLOATING;
    const int is_endless = samples == STRC_WAV_ENDLESS;
    const uint32_t header = is_floating ? STRC_WAV_HEADER : STRC_WAV_HEADER - 12;
    const uint32_t frame = wav->channels * wav->sample.size;
    const uint32_t data = is_endless ? unknown_size : (uint32_t)(samples * wav->sample.size);
    unsigned char *at =
        put_name(to, "RIFF", is_endless ? unknown_size : header - 8 + data + data % 2);
    memcpy(at, "WAVE", 4);
    at = put_name(at + 4, "fmt ", kShortestFormat);
    at = put_little(at, is_floating ? kFloating : kInteger, 2);
    at = put_little(at, wav->channels, 2);
    at = put_little(at, wav->rate, 4);
    at = put_little(at, wav->rate * frame, 4);
    at = put_little(at, frame, 2);
    at = put_little(at, wav->sample.size * 8, 2);
    if (is_floating) {  // only of integers is the length in bytes enough
        at = put_name(at, "fact", 4);
        at = put_little(at, is_endless ? 0 : (uint32_t)(samples / wav->channels), 4);
    }
    put_name(at, "data", data);
    return header;
}
