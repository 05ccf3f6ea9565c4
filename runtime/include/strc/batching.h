/// When several iterations of a program with dynamic rates may be done as one (strc_demand::batches).
#ifndef STRC_BATCHING_H
#define STRC_BATCHING_H

typedef enum strc_batching {
    STRC_BATCHING_NEVER,
    STRC_BATCHING_ALWAYS,
    /// A sink may get more than it has asked for, and takes that at the end of an iteration. Together they take less, so an iteration is something
    /// else then: nobody may count them.
    STRC_BATCHING_UNCOUNTED,
} strc_batching;

#endif
