/// Files in the executable's own folder.
#ifndef STRC_BESIDE_H
#define STRC_BESIDE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Begins the name of a file that lies there.
#define STRC_BESIDE "$ORIGIN/"

enum { STRC_OWN_PATH = 4096 };

/// Where such a file is now; the name as it stands if nobody can say where, or if it is no such name.
const char *strc_own_file(char path[STRC_OWN_PATH], const char *name);

#ifdef __cplusplus
}
#endif
#endif
