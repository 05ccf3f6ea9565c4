/// What ends a run from outside: signals, and files that go away.
#ifndef STRC_SIGNALS_H
#define STRC_SIGNALS_H

/// Somebody wants the run to end; for strc_env.
extern volatile unsigned char strc_ended;

/// From now on SIGINT and SIGTERM end the run, each the process the second time. Signals that are ignored
/// stay ignored, as nohup wants it. A closed pipe and a file that may not grow are failed writes.
void strc_signals_begin(void);

/// The signal that came, or 0.
int strc_interrupted(void);

/// The run has read from memory of a file that is not there any more: it ends. Any thread may call this, also from
/// within a signal.
void strc_signals_lost(const void *address);
/// Where that was first, or null.
const void *strc_lost(void);

#endif
