// Formats of which no file of the program can hold its items: they say so, and need nothing else.
#include "strc/files/numbers.h"

const strc_format strc_format_no_png = {.name = "PNG", .holds = strc_holds_pixels};
const strc_format strc_format_no_jpeg = {.name = "JPEG", .holds = strc_holds_pixels};
