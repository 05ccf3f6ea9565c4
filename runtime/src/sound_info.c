// What sounds that are read tell of sounds that are written, and whether they are what is asked for.
#include <inttypes.h>
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

void strc_heard_add(strc_heard *heard, const strc_stream_info *info, uint64_t samples) {
    if (info->rate == 0) return;
    if (!heard->any) {
        *heard = (strc_heard){*info, samples, 1};
        return;
    }
    strc_stream_info *common = &heard->info;
    if (common->rate != info->rate) common->rate = 0;
    if (common->channels != info->channels) common->channels = 0;
    if (common->bits != info->bits || common->floating != info->floating)
        common->bits = common->floating = 0;
    if (heard->samples != samples) heard->samples = 0;
}

strc_stream_info strc_heard_complete(const strc_heard *heard, strc_stream_info said,
                                     uint64_t samples) {
    const int says_rate = said.rate != 0;
    if (!says_rate) said.rate = heard->info.rate;
    if (said.channels == 0 && !says_rate && heard->samples == samples)
        said.channels = heard->info.channels;
    if (said.bits == 0 && !said.floating) {
        said.bits = heard->info.bits;
        said.floating = heard->info.floating;
    }
    return said;
}
