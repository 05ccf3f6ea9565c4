/// Samples of sounds, and the headers of WAV files. The compiler and executables read and write them with this;
/// nothing in a file is trusted.
#ifndef STRC_SOUNDS_H
#define STRC_SOUNDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum strc_coding {
    STRC_SAMPLE_UNSIGNED,  ///< an integer whose middle is 0
    STRC_SAMPLE_SIGNED,
    STRC_SAMPLE_FLOATING,
    STRC_SAMPLE_A_LAW,
    STRC_SAMPLE_MU_LAW,
} strc_coding;

/// How a sample lies in a file, the lowest byte first.
typedef struct strc_sample {
    strc_coding coding;
    uint32_t size;  ///< bytes
} strc_sample;

/// A sample as a program sees it: reals lie between -1 and 1, integers are as stored. What is not stored as an
/// integer counts as 16 bits.
double strc_sample_real(strc_sample, const unsigned char *from);
int32_t strc_sample_integer(strc_sample, const unsigned char *from);
/// The other way, for signed, unsigned and floating-point samples: of integers what lies beyond full scale is cut off
/// and NaN is 0; floating-point samples keep both. Nonzero: it was further beyond than rounding is; a real number of just 1 is not.
int strc_sample_put_real(strc_sample, double value, unsigned char *to);
int strc_sample_put_integer(strc_sample, int32_t value, unsigned char *to);

/// What is said of sounds and pictures, or known of them; 0: nothing.
typedef struct strc_stream_info {
    int32_t channels, rate, bits, floating, width, height;
} strc_stream_info;

/// Why a sound is not what is asked for: half a sentence in `why`. 0: it is.
enum { STRC_SOUND_WHY = 96 };
int strc_sound_differs(const strc_stream_info *asked, const strc_stream_info *found,
                       char why[STRC_SOUND_WHY]);

/// How a program reads or writes a file.
typedef struct strc_sound_use {
    uint64_t samples;  ///< that an item takes; 0: items are no samples
    uint64_t items;  ///< in a steady state; 0: that is not known
    uint64_t
        mixed;  ///< bit c: filters of the library mix the channels of a sound that has c of them
} strc_sound_use;

/// The parts of a program that have to do with sounds.
typedef struct strc_sound_program {
    const double *paces;  ///< steady states a second, by what its streams are told of rates
    uint64_t pace_count;
    double rate;  ///< one that they are told
    int32_t keeps_samples;  ///< what it gives depends on more than one sample
    int32_t unused;
} strc_sound_program;

/// Is a sound unlike what the program takes, in its channels, or in its rate? Then half a sentence about the program is in
/// `why`; else 0. `asked`: what the program asked for, or took the sound to have.
int strc_sound_is_unlike(const strc_stream_info *asked, const strc_stream_info *found,
                         strc_sound_use, const strc_sound_program *, char why[STRC_SOUND_WHY]);
int strc_sound_is_off(const strc_stream_info *asked, const strc_stream_info *found, strc_sound_use,
                      const strc_sound_program *, char why[STRC_SOUND_WHY]);

/// What the sounds that a program reads agree on.
typedef struct strc_heard {
    strc_stream_info info;
    strc_sound_use
        use;  ///< of the first; `samples` is 0 if items of others take other numbers of them
    double pace;  ///< steady states a second; 0: not known
    int any;
} strc_heard;
/// Adds a file; what is no sound has a rate of 0 and counts for nothing. Nonzero: it goes at another rate than those before.
int strc_heard_add(strc_heard *, const strc_stream_info *, strc_sound_use);
/// A sound that is written takes from those that are read what `said` leaves out: channels where items take as many samples,
/// the rate for as many frames as the program makes of theirs.
strc_stream_info strc_heard_complete(const strc_heard *, strc_stream_info said, strc_sound_use);

#define STRC_WAV_ENDLESS UINT64_MAX
enum {
    STRC_WAV_NATURAL_CHANNELS = 8,  ///< items of more samples are pieces of one channel
    STRC_WAV_CHANNELS = 1024,  ///< at the most
    STRC_WAV_PIECE = 40,  ///< bytes of a header that are looked at together, at the most
    STRC_WAV_HEADER = 56,  ///< bytes of a header that is written, at the most
};

/// The header of a WAV or RF64 file, which is read piece by piece, so that it may come from a pipe: as long as
/// `wanted` is not 0, the next `skip` bytes are left out, and as many as are wanted go to strc_wav_read.
typedef struct strc_wav {
    strc_sample sample;
    uint32_t channels, rate;
    uint32_t bits;  ///< of a sample, as a program sees it
    uint64_t start;  ///< of the samples: bytes from the beginning of the file
    uint64_t
        size;  ///< of the samples; STRC_WAV_ENDLESS: they go on to the end of the file, wherever that is
    uint64_t skip;
    uint32_t wanted;
    const char *wrong;  ///< half a sentence ("it does not begin as one"): it is no WAV file
    uint32_t chunk;  ///< the rest is of no concern to others
    uint32_t left;
    uint32_t chunks;
    uint64_t whole, long_size, file;
    int is_long;
} strc_wav;

/// `file`: its bytes, or UINT64_MAX if nobody knows, as of a pipe.
void strc_wav_begin(strc_wav *, uint64_t file);
void strc_wav_read(strc_wav *, const unsigned char *bytes);
/// What is wrong with a file that ends before as many bytes came.
extern const char strc_wav_ends[];

/// Why there is no sound of so many samples a second, channels and bits (0: whatever is usual): half a sentence, or
/// null.
const char *strc_wav_refusal(int32_t rate, int32_t channels, int32_t bits, int is_floating);
/// Makes the header of a file with so many samples (STRC_WAV_ENDLESS: nobody knows how many) as its `sample`,
/// `channels` and `rate` say; its bytes. The size does not depend on how many samples there are.
size_t strc_wav_header(const strc_wav *, uint64_t samples, unsigned char to[STRC_WAV_HEADER]);
/// For files, whose headers have sizes of 32 bits: how long they may become.
extern const uint64_t strc_wav_longest;

#ifdef __cplusplus
}
#endif
#endif
