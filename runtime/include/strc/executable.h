/// The data of an executable besides its strc_program: its main function (runtime/main) prints, opens files
/// and converts values by it. One constant, `strc_executable`, filled by the compiler, which defines
/// it beside `strc_program` in the object file. Plain data; texts are offsets into one block, so that
/// nothing but a few pointers is adjusted when the executable is loaded.
#ifndef STRC_EXECUTABLE_H
#define STRC_EXECUTABLE_H

#include "strc/beside.h"
#include "strc/panels.h"
#include "strc/plugin.h"
#include "strc/ranks.h"
#include "strc/runtime.h"
#include "strc/safetensors.h"
#include "strc/sounds.h"
#include "strc/symbolic.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Offset of a text that ends in NUL; 0 is the empty one.
typedef uint32_t strc_text;

typedef enum strc_kind {
    STRC_BOOLEAN,
    STRC_BIT,
    STRC_INT,
    STRC_FLOAT,
    STRC_DOUBLE,
    STRC_COMPLEX,
    STRC_FLOAT2,
    STRC_FLOAT3,
    STRC_FLOAT4,
    STRC_ARRAY,
    STRC_STRUCT,
    STRC_LONG,  ///< in raw files alone
    STRC_OTHER,  ///< not in files
    STRC_TEXT,  ///< of parameters: a strc_string
} strc_kind;

/// A type of items as it lies in memory (src/types/type.h).
typedef struct strc_type {
    uint32_t kind;
    uint32_t first;  ///< array: the type of its elements; struct: its first field; else 0
    uint64_t count;  ///< array: elements; struct: fields
    uint64_t size;  ///< bytes
} strc_type;

typedef struct strc_field {
    uint32_t type;
    uint32_t unused;
    uint64_t offset;
} strc_field;

/// The formats that `--in-format` and the suffixes of file names choose. STRC_FORMAT(Id, name in messages)
typedef enum strc_format_id {
#define STRC_FORMAT(Id, name) STRC_##Id,
#include "strc/formats.def"
#undef STRC_FORMAT
    STRC_FORMATS
} strc_format_id;

#define STRC_OPEN UINT32_MAX
/// In the shape of an input: any.
#define STRC_OPEN_EXTENT (-1)

/// An input or output: the file of a filter, or the open end of the main stream (node STRC_OPEN).
typedef struct strc_port {
    uint32_t node;
    uint32_t type;  ///< of its items
    strc_text type_name;
    strc_text file;
    strc_text place;  ///< "file:line:column"
    uint32_t format;
    strc_stream_info info;  ///< what the parameters of a writer say
    uint32_t tensors;  ///< types that follow each other, over and over; 0: the items are none
    uint32_t first_shape;  ///< in strc_executable.shapes
    uint32_t holds_raw, holds_numbers;  ///< formats that know nothing of tensors can have them
    uint32_t
        is_named;  ///< only the run knows what they are: names (strc_symbolic). Of an output `tensors` and `first_shape` say nothing
    uint32_t
        file_parameter;  ///< 1 + the parameter that names the file instead of `file`; 0: none does
    uint32_t turns;  ///< of an open end: several inputs or outputs that take turns; 0: there is one
    uint32_t first_turn;  ///< in strc_executable.turns: items of each that follow each other
    uint64_t
        flush;  ///< of an input: zeros behind its last item that bring out what the program holds
    uint64_t steady;  ///< items in a steady state; 0: that is not known
    uint64_t mixed;  ///< of an input: see strc_sound_use
} strc_port;

/// What to do where files do not fit them.
#define STRC_ENDS_HINT                                                             \
    "a main stream that begins with a round-robin splitter has an input for each " \
    "of its branches, one that ends in a round-robin joiner an output for each"

/// A parameter of the main stream that `-D` sets.
typedef struct strc_parameter {
    uint32_t kind;  ///< BOOLEAN to COMPLEX, or TEXT
    strc_text name, type_name;
    uint32_t
        sound;  ///< unless it is set it is of the input's sound: 1: the rate, 2: the channels; 0: it is not
} strc_parameter;

/// A check that can fail: STRC_NUMBER in the text stands for the next number of the fault.
typedef struct strc_site {
    strc_text place, message, name;
    uint32_t above;  ///< so many composites above the filter is what it is about
} strc_site;
/// How much of the path of a filter names what is so many composites above it.
static inline size_t strc_path_above(const char *path, uint32_t above) {
    size_t length = 0;
    while (path[length]) ++length;
    for (; above > 0 && length > 0; --above)
        while (length > 0 && path[--length] != '.') continue;
    return length;
}
#define STRC_NUMBER '\x01'

/// A row of the table of diagnostics: `{what}` in the text stands for the next argument.
typedef struct strc_message {
    strc_text message, name;
} strc_message;

typedef enum strc_message_id {
#define STRC_MESSAGE(Id) STRC_MESSAGE_##Id,
#include "strc/messages.def"
#undef STRC_MESSAGE
    STRC_MESSAGES
} strc_message_id;

/// A tensor of the weights file that is read at the start (--external-weights).
typedef struct strc_weight {
    const void *
        *values;  ///< where the program looks for them; null: it has nothing but results of them
    uint64_t hash;  ///< strc_safe_hash of what results were computed from; 0: nothing was
    uint64_t dims[STRC_SAFE_DIMENSIONS];
    uint32_t type;  ///< strc_safe_type
    uint32_t rank;
    strc_text name;
    strc_text place;  ///< where the filter that asks for it was added
    strc_text instance;  ///< its path
    uint32_t unused;
} strc_weight;

/// Panels that products read instead of a tensor of the weights file; they are packed at the start.
typedef struct strc_weight_panels {
    void *panels;  ///< zeros
    const void *const *values;  ///< of a strc_weight
    uint64_t first_loop;  ///< in strc_executable.panel_loops
    strc_panels how;
} strc_weight_panels;

/// A filter whose shapes only the run knows.
typedef struct strc_symbolic_row {
    strc_text path;
    strc_text place;  ///< where it is added
    strc_text added;  ///< for code of the library, a note that says so; or 0
    strc_text in_body;  ///< a note about a place in its code
} strc_symbolic_row;

/// The filters that the library strc_symbolic executes.
typedef struct strc_symbolic_table {
    strc_symbolic_loader *load;
    const void *packed;
    const strc_names *names;
    const strc_symbolic_row *filters;
    const strc_text *places;
    uint64_t size;  ///< bytes of `packed`
    uint64_t name_count;
    strc_text library;
    uint32_t unused;
} strc_symbolic_table;

typedef enum strc_severity { STRC_SILENT, STRC_WARNING, STRC_ERROR } strc_severity;

struct strc_format;

struct strc_executable;
/// The functions of an executable that has its weights in a file.
typedef struct strc_weights_calls {
    /// Finds all weights of the program in a file, or in its own if that is null; 0, or -1 after reporting.
    int (*open)(const struct strc_executable *, const char *file);
    /// The file is not what it was when it was opened: nothing may go out that has been made since.
    int (*is_lost)(void);
    void (*report_lost)(const struct strc_executable *);
    /// The name of the open file.
    const char *(*name)(void);
} strc_weights_calls;
extern const strc_weights_calls strc_weights_in_file;

struct strc_library;
/// The functions of a library that was built for several threads.
typedef struct strc_threads_calls {
    int (*begin)(struct strc_library *);  ///< nonzero: there is no memory
    void (*end)(struct strc_library *);
} strc_threads_calls;
extern const strc_threads_calls strc_threads_of_handles;

/// The functions of an executable that was built for several ranks (runtime/main/ranks.h).
struct strc_rank_services;
extern const struct strc_rank_services strc_ranks_of_executables;

typedef struct strc_executable {
    const strc_program *program;
    const char *texts;
    const strc_site *sites;
    const strc_text *paths;  ///< of instances, by node; 0 for nodes without code of their own
    const strc_text *places;  ///< where the program adds them, by node
    const strc_text *added;  ///< for code of the library, a note that says so, by node; or 0
    const strc_message *messages;  ///< by strc_message_id
    const strc_type *types;
    const strc_field *fields;
    const int64_t
        *shapes;  ///< of tensors, as strc/values.h has them, and where each lies in an item
    const uint64_t *turns;  ///< of ports
    const strc_port *inputs;  ///< as many as the program has
    const strc_port *outputs;
    const strc_parameter *parameters;
    const unsigned char
        *parameter_values;  ///< strc_env.parameters unless they are set; of texts a strc_text
    const struct strc_format *const *formats;  ///< by strc_format_id; null: left out
    const strc_weights_calls *weights_calls;  ///< null: there are none in a file
    const strc_threads_calls *threads_calls;  ///< null: a library has the threads of its callers
    const strc_weight *weights;
    const strc_weight_panels *weight_panels;
    const strc_panel_loop *panel_loops;
    const double *paces;  ///< of `sounds`
    const strc_symbolic_table *symbolic;  ///< null: it has no such filters
    const strc_plugin *plugin;  ///< null: it is none
    const strc_text *waiting_paths;  ///< by node of program->ending, if there is one
    const strc_text *waiting_places;
    const strc_ranks *ranks;  ///< null: it was built without --ranks
    const struct strc_rank_services *rank_services;  ///< null likewise
    const struct strc_profile_tables *profile;  ///< null: it was built without --profile
    const struct strc_profile_calls *profile_calls;  ///< null likewise
    const char *printed;  ///< while the graph was built
    uint64_t printed_size;
    uint64_t features;  ///< of the processor: bits by the rows of processor_features.def
    strc_sound_program sounds;  ///< its `paces` are null
    uint64_t random;  ///< state of the generator after elaboration
    uint64_t tuning;  ///< strc_env.tuning
    uint64_t identity;  ///< of a library: strc_flow_facts.identity
    uint64_t init_firings;
    uint64_t steady_firings;  ///< of one steady state
    uint64_t init_writes, steady_writes;  ///< items of the open output; a library's
    uint64_t stack_bytes;  ///< that a call of the library may take
    uint64_t bound;  ///< of queues and messages of a library; 0: there is none
    uint64_t firing_bytes;  ///< of a stack of its own, that a library with dynamic rates takes
    uint64_t most_bytes;  ///< of an input that may be read ahead
    uint64_t weight_count;
    uint64_t weight_panel_count;
    uint64_t items_waiting;  ///< that stay on tapes when the input is over
    strc_text waiting_at;  ///< the path of the node before which most of them lie
    strc_text waiting_place;
    strc_text weights_file;  ///< unless --weights names another
    strc_text main_stream;
    uint32_t left_over;  ///< strc_severity of items left over
    uint32_t bytes_left_over;  ///< strc_severity of bytes left over
    uint32_t clipped_samples;  ///< strc_severity of samples that were clipped
    uint32_t tells_waiting;  ///< strc_severity of items that stay on tapes
    uint32_t short_file;  ///< strc_severity of files that end too soon
    uint32_t parameter_count;
    uint32_t can_fail;  ///< there are sites
    uint32_t limits_files;  ///< --limit counts items that go to files
    uint32_t limits_nothing;  ///< there is nothing to count
    uint32_t sound_channels, sound_rate;  ///< strc_severity of sounds unlike what the program takes
    uint32_t threads;  ///< of a handle, unless the host asks for fewer
    uint32_t dropouts;  ///< strc_severity of what devices have lost
} strc_executable;

extern const strc_executable strc_executable_data;

#ifdef __cplusplus
}
#endif
#endif
