/// The description of a SigMF recording, a file of JSON beside its samples: https://sigmf.org. Private to runtime/files.
#ifndef STRC_SIGMF_H
#define STRC_SIGMF_H

#include "strc/sounds.h"

enum { STRC_SIGMF_PATH = 4096 + 16, STRC_SIGMF_WHY = 160 };

typedef struct strc_sigmf {
    int is_complex;
    strc_sample sample;
    double rate;  ///< samples a second; 0: it does not say
} strc_sigmf;

/// "a.sigmf-meta" of "a.sigmf-data", and of other names with the ending behind; -1: the name is too long.
int strc_sigmf_path(const char *data, char path[STRC_SIGMF_PATH]);

/// Is it the name of a description?
int strc_sigmf_is_meta(const char *name);

/// Of the text of the description; -1 with half a sentence in `why`.
int strc_sigmf_read(const char *text, strc_sigmf *, char why[STRC_SIGMF_WHY]);

#endif
