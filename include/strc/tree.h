/// Programs that are built node by node instead of being written: what strc/dsl.h records, and what other
/// front ends may record. A tree becomes the syntax tree that the parser would make of its text; `strc_tree_text` is
/// that text.
///
/// Nodes are added children first, and are named by the numbers that `strc_tree_add` gives. A node may be the child of
/// several others: a variable is declared where it stands among statements, and read where it stands in an
/// expression. Names are wishes: whatever is taken, or is a keyword, gets a number.
#ifndef STRC_TREE_H
#define STRC_TREE_H

#include <strc/strc.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Children stand in braces; `E` is an expression (no TABLE), `L` a literal or a TABLE, `T` a type, `B` a STRC_NODE_BLOCK, `S` a stream; `?`: it may be NOTHING, or left out
/// at the end; `!`: it may be NOTHING; `*`: any number of them. "name", "text", "integer" and "number" are fields of strc_node.
typedef enum strc_node_kind {
    STRC_NODE_NOTHING,  ///< in the place of a child that is left out
    /* expressions */
    STRC_NODE_INT,  ///< integer; name: of the parameter that it is to be, or null
    STRC_NODE_REAL,  ///< number, as a float; name as above
    STRC_NODE_BOOLEAN,  ///< integer: 0 or 1; name as above
    STRC_NODE_IMAGINARY,  ///< number
    STRC_NODE_STRING,  ///< text
    STRC_NODE_TABLE,  ///< {L*}: `{1, 2, 3}`; name as above
    STRC_NODE_UNARY,  ///< name: "!", "-", "~"; {E}
    STRC_NODE_BINARY,  ///< name: "+", "<<", "&&" ...; {E E}
    STRC_NODE_CONDITIONAL,  ///< {E E E}
    STRC_NODE_CAST,  ///< {T E}
    STRC_NODE_MEMBER,  ///< name; {E}
    STRC_NODE_INDEX,  ///< {E E E*}: several indices are for tensors
    STRC_NODE_BUILTIN,  ///< name of a function of the language; {E*}
    STRC_NODE_CALL,  ///< {FUNCTION_NAME or NATIVE, E*}
    STRC_NODE_POP,
    STRC_NODE_PEEK,  ///< {E}
    STRC_NODE_ITER,
    /* what is both a statement and, afterwards, an expression */
    STRC_NODE_VARIABLE,  ///< name; {T E?}, or a TABLE as initial value; of a loop, a function, a handler, a struct, a filter as well
    STRC_NODE_VALUE,  ///< {T E}: computed here, once; stands wherever it is used
    /* statements */
    STRC_NODE_BLOCK,  ///< {statements*}
    STRC_NODE_EVALUATE,  ///< {E}: BUILTIN, CALL, POP, PEEK, ITER
    STRC_NODE_ASSIGN,  ///< name: "=", "+=" ...; {E E}: a VARIABLE, MEMBER or INDEX of one, and the value
    STRC_NODE_IF,  ///< {E B B?}
    STRC_NODE_WHILE,  ///< {B E B}: what computes the condition, the condition, the body
    STRC_NODE_FOR,  ///< name: "<", ">" ...; {VARIABLE E E B}: while it is less than the first E, by steps of the second
    STRC_NODE_BREAK,
    STRC_NODE_CONTINUE,
    STRC_NODE_RETURN,  ///< {E?}
    STRC_NODE_PUSH,  ///< {E}
    STRC_NODE_SEND,  ///< name: the handler; {PORTAL E! E! E*}: latencies (both left out: as soon as it can be), arguments
    /* types */
    STRC_NODE_TYPE,  ///< name: "void", "int", "float", "bit", "boolean", "complex" ...
    STRC_NODE_ARRAY_TYPE,  ///< {T L}
    STRC_NODE_TENSOR_TYPE,  ///< {T L*}
    STRC_NODE_STRUCT,  ///< name; {VARIABLE*}
    /* filters and their parts */
    STRC_NODE_RATE,  ///< name: "push", "pop", "peek"; {E}
    STRC_NODE_DYNAMIC_RATE,  ///< name as above; {E! E!}: least and most
    STRC_NODE_WORK,  ///< {RATE* B}
    STRC_NODE_PREWORK,  ///< {RATE* B}
    STRC_NODE_INIT,  ///< {B}
    STRC_NODE_FUNCTION_NAME,  ///< name
    STRC_NODE_FUNCTION,  ///< {FUNCTION_NAME T VARIABLE* RATE* B}
    STRC_NODE_HANDLER,  ///< name; {VARIABLE* B}
    STRC_NODE_STRAY,  ///< what was done outside of a body; text: what it was
    STRC_NODE_FILTER,  ///< name?; {T T and VARIABLE, WORK, PREWORK, INIT, FUNCTION, HANDLER, STRAY *}
    /* other streams */
    STRC_NODE_PIPELINE,  ///< name?; {S*}
    STRC_NODE_SPLITJOIN,  ///< name?; {splitter S* joiner}
    STRC_NODE_FEEDBACKLOOP,  ///< name?; {joiner S S splitter E*}: body, loop, items that lie there before
    STRC_NODE_DUPLICATE,
    STRC_NODE_ROUNDROBIN,  ///< {L*}
    STRC_NODE_NAMED,  ///< name of a stream of the library or of the file `text` (or null); {T T T! L*}: input, output, type argument
    STRC_NODE_RECEIVER,  ///< {S PORTAL*}
    /* others */
    STRC_NODE_PORTAL,  ///< name
    STRC_NODE_NATIVE,  ///< name, text: its package; `function`; {T VARIABLE*}
    STRC_NODE_KIND_COUNT
} strc_node_kind;

typedef struct strc_node {
    size_t size;  ///< of this struct
    strc_node_kind kind;
    const char* name;  ///< or null
    const char* text;  ///< or null
    int64_t integer;
    double number;
    const uint32_t* children;
    size_t child_count;
    const char* file;  ///< where it was written, or null: where the node around it was
    uint32_t line, column;  ///< from 1
    void (*function)(void);  ///< of a NATIVE
} strc_node;

typedef struct strc_tree strc_tree;

/// Null: there is no memory.
STRC_API strc_tree* strc_tree_new(void);
STRC_API void strc_tree_free(strc_tree*);

/// The number of the new node, from 1. 0: it has children that such a node cannot have, or there is no memory. What
/// the struct points to is copied.
STRC_API uint32_t strc_tree_add(strc_tree*, const strc_node*);

/// Why the last strc_tree_add gave 0: "radio.cpp:12:5: the if has no place for its part 4, a block". Empty: it gave a number, or there is no memory. Valid
/// until the next one.
STRC_API const char* strc_tree_refusal(const strc_tree*);

/// The program whose main stream is the node `main`, in place of sources that are texts. The tree may be used again, and freed.
/// Sources that its NAMED streams lie in are read now. STRC_FAILED: what is wrong stands in the diagnostics. Option "top" is
/// set.
STRC_API strc_status strc_compiler_add_tree(strc_compiler*, strc_tree*, uint32_t main);

/// The text of that program, as `strc fmt` writes it, until the compiler is freed; null: it is none, as the diagnostics
/// tell. After strc_compiler_add_tree, before or after strc_compiler_compile.
STRC_API const char* strc_compiler_tree_text(strc_compiler*, size_t* size);

/// Has its main stream an input or an output? After strc_compiler_add_tree.
STRC_API int strc_compiler_tree_is_open(const strc_compiler*);

/// A function that natives of the name `package_function` call, in place of one in a library.
STRC_API strc_status strc_compiler_add_native(strc_compiler*, const char* symbol,
                                              void (*function)(void));

#ifdef __cplusplus
}
#endif
#endif
