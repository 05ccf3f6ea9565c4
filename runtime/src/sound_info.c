// What sounds that are read tell of sounds that are written, and whether they are what a program wants.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "strc/sounds.h"

static int tell(char why[STRC_SOUND_WHY], int32_t is, const char *what, int32_t wanted) {
    snprintf(why, STRC_SOUND_WHY, "%" PRId32 "%s%" PRId32, is, what, wanted);
    return 1;
}

int strc_sound_differs(const strc_stream_info *asked, const strc_stream_info *found,
                       char why[STRC_SOUND_WHY]) {
    if (asked->rate != 0 && asked->rate != found->rate)
        return tell(why, found->rate, " samples a second are in it, not ", asked->rate);
    if (asked->channels != 0 && asked->channels != found->channels)
        return tell(why, found->channels,
                    found->channels == 1 ? " channel is in it, not " : " channels are in it, not ",
                    asked->channels);
    return 0;
}

// ---- what is not refused

static int tell_assumed(char why[STRC_SOUND_WHY], int32_t assumed) {
    snprintf(why, STRC_SOUND_WHY, "the program was made for %" PRId32, assumed);
    return 1;
}

int strc_sound_is_unlike(const strc_stream_info *asked, const strc_stream_info *found,
                         strc_sound_use use, const strc_sound_program *program,
                         char why[STRC_SOUND_WHY]) {
    const uint64_t channels = (uint64_t)found->channels;
    if (found->rate == 0 || channels == 0 || asked->channels == found->channels) return 0;
    if (asked->channels != 0) return tell_assumed(why, asked->channels);
    const int is_frame = use.samples > 1 && use.samples <= STRC_WAV_NATURAL_CHANNELS;
    if (is_frame && (channels == 1 || use.samples % channels != 0)) {
        snprintf(why, STRC_SOUND_WHY, "an item takes %" PRIu64 " samples", use.samples);
        return 1;
    }
    const int is_mixed = channels < 64 && (use.mixed >> channels & 1) != 0;
    const int is_cut = use.items != 0 && use.items % channels != 0 && program->keeps_samples;
    if (use.samples != 1 || channels == 1 || (!is_mixed && !is_cut)) return 0;
    snprintf(why, STRC_SOUND_WHY, "the program takes its samples as those of one channel");
    return 1;
}

static int are_equal(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(a); }

int strc_sound_is_off(const strc_stream_info *asked, const strc_stream_info *found,
                      strc_sound_use use, const strc_sound_program *program,
                      char why[STRC_SOUND_WHY]) {
    if (found->rate == 0 || asked->rate == found->rate) return 0;
    if (asked->rate != 0) return tell_assumed(why, asked->rate);
    if (use.items == 0 || program->pace_count == 0) return 0;
    const double pace = found->rate / ((double)use.items * (double)use.samples);
    for (uint64_t k = 0; k < program->pace_count; ++k)
        if (are_equal(program->paces[k], pace) ||
            are_equal(program->paces[k], pace * found->channels))
            return 0;
    snprintf(why, STRC_SOUND_WHY, "streams of the program are told that there are %.9g",
             program->rate);
    return 1;
}

// ---- from sounds that are read to sounds that are written

/// Steady states a second; 0: not known.
static double pace_of(const strc_stream_info *info, strc_sound_use use) {
    if (use.items == 0) return 0;
    return (double)info->rate * info->channels / ((double)use.items * (double)use.samples);
}

int strc_heard_add(strc_heard *heard, const strc_stream_info *info, strc_sound_use use) {
    if (info->rate == 0) return 0;
    const double pace = pace_of(info, use);
    if (!heard->any) {
        *heard = (strc_heard){*info, use, pace, 1};
        return 0;
    }
    strc_stream_info *common = &heard->info;
    const int is_known = heard->pace != 0 && pace != 0;
    const int differs = common->rate != 0 &&
                        (is_known ? !are_equal(heard->pace, pace) : common->rate != info->rate);
    if (differs) {
        common->rate = 0;
        heard->pace = 0;
    }
    if (common->channels != info->channels) common->channels = 0;
    if (common->bits != info->bits || common->floating != info->floating)
        common->bits = common->floating = 0;
    if (heard->use.samples != use.samples) heard->use.samples = 0;
    return differs;
}

/// 0: as many as an item has samples.
static int32_t channels_of(const strc_heard *heard, const strc_stream_info *said,
                           strc_sound_use use) {
    const int32_t channels = heard->info.channels;
    if (heard->use.samples != use.samples || channels == 0) return 0;
    // A program that gives one sample for each frame that it takes mixes the channels.
    const int is_mixed =
        use.samples == 1 && use.items != 0 && heard->use.items == use.items * (uint64_t)channels;
    const int keeps_rate = said->rate == 0 || said->rate == heard->info.rate;
    return is_mixed && keeps_rate ? 1 : channels;
}

strc_stream_info strc_heard_complete(const strc_heard *heard, strc_stream_info said,
                                     strc_sound_use use) {
    if (said.channels == 0) said.channels = channels_of(heard, &said, use);
    if (said.rate == 0) {
        const double channels = said.channels != 0                         ? said.channels
                                : use.samples <= STRC_WAV_NATURAL_CHANNELS ? (double)use.samples
                                                                           : 1;
        const double rate =
            rint(heard->pace * ((double)use.items * (double)use.samples) / channels);
        const int is_rate = rate >= 1 && rate <= INT32_MAX;
        said.rate = is_rate ? (int32_t)rate : heard->info.rate;
    }
    if (said.bits == 0 && !said.floating) {
        said.bits = heard->info.bits;
        said.floating = heard->info.floating;
    }
    return said;
}
