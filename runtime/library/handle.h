/// What is behind a handle of a library. Private to the runtime.
#ifndef STRC_HANDLE_H
#define STRC_HANDLE_H

#include "message.h"
#include "strc/executable.h"
#include "strc/flow.h"
#include "strc/library.h"

#define STRC_EXPORTED __attribute__((visibility("default")))

struct strc_library {
    const strc_executable *about;
    strc_flow_facts facts;
    strc_flow *flow;
    char message[STRC_MESSAGE_ROOM];
    strc_fault end;  ///< what process or drain failed by
};

/// What a call that takes or gives items begins with: STRC_LIBRARY_OK, or why it may not go on.
int strc_handle_begin(strc_library *, int takes);
/// An array is missing.
int strc_handle_refuse(strc_library *);
/// The status of a call behind what the flow has said.
int strc_handle_conclude(strc_library *, int failed);

#endif
