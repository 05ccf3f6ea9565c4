/// Names that are no files but something that moves bytes: "tcp:HOST:PORT", "tcp::PORT" (waits for one that calls, on this machine),
/// "unix:PATH", "rtl_tcp:HOST:PORT?frequency=100.1M&rate=1.024M&gain=20".
#ifndef STRC_ENDPOINTS_H
#define STRC_ENDPOINTS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { STRC_ENDPOINT_WHY = 200 };

int strc_is_endpoint(const char *name);
/// Connects; a descriptor to read and write, or -1 with half a sentence in `why`.
int strc_endpoint_open(const char *name, char why[STRC_ENDPOINT_WHY]);

#ifdef __cplusplus
}
#endif
#endif
