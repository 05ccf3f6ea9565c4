/// What a plug-in for audio hosts knows besides its program: a table that `strc build --plugin` puts beside it.
#ifndef STRC_PLUGIN_H
#define STRC_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parameter that a host moves.
typedef struct strc_control {
    uint32_t parameter;  ///< in strc_executable.parameters
    uint32_t name, label;  ///< strc_text
    uint32_t is_stepped;  ///< it holds whole numbers alone
    double low, high, initial;
    double smooth;  ///< seconds in which it goes to a new value; 0: at once
} strc_control;

#define STRC_NO_PARAMETER UINT32_MAX

typedef struct strc_plugin {
    const strc_control *controls;
    uint32_t control_count;
    uint32_t rate_parameter;  ///< that is the host's samples a second, or STRC_NO_PARAMETER
    double fixed_rate;  ///< the only rate for which the program was built; 0: any
    uint64_t latency;  ///< frames
    uint32_t uri, title;  ///< strc_text
} strc_plugin;

#ifdef __cplusplus
}
#endif
#endif
