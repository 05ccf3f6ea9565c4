// Is the runtime's LV2 that of the standard's headers?
#include <lv2/core/lv2.h>
#include <stddef.h>

#include "lv2.h"

#define SAME(own, theirs)                                                                \
    _Static_assert(offsetof(strc_lv2_descriptor, own) == offsetof(LV2_Descriptor, theirs), #own)
SAME(uri, URI);
SAME(instantiate, instantiate);
SAME(connect_port, connect_port);
SAME(activate, activate);
SAME(run, run);
SAME(deactivate, deactivate);
SAME(cleanup, cleanup);
SAME(extension_data, extension_data);
_Static_assert(sizeof(strc_lv2_descriptor) == sizeof(LV2_Descriptor), "size");
_Static_assert(sizeof(strc_lv2_feature) == sizeof(LV2_Feature), "size");
_Static_assert(offsetof(strc_lv2_feature, data) == offsetof(LV2_Feature, data), "data");
