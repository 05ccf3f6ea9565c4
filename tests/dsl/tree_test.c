/* The functions of strc/tree.h from C: a program node by node, and nodes that are none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strc/tree.h>

#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition)) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);       \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

static strc_tree* tree;

static uint32_t add(strc_node_kind kind, const char* name, size_t count, const uint32_t* children) {
    strc_node node = {0};
    node.size = sizeof node;
    node.kind = kind;
    node.name = name;
    node.children = children;
    node.child_count = count;
    return strc_tree_add(tree, &node);
}

static uint32_t integer(int64_t value) {
    strc_node node = {0};
    node.size = sizeof node;
    node.kind = STRC_NODE_INT;
    node.integer = value;
    return strc_tree_add(tree, &node);
}

/* int->int filter Thrice { work push 1 pop 1 { push(3 * pop()); } } */
static uint32_t thrice(void) {
    const uint32_t type = add(STRC_NODE_TYPE, "int", 0, NULL);
    const uint32_t one = integer(1);
    const uint32_t rates[] = {add(STRC_NODE_RATE, "push", 1, &one), add(STRC_NODE_RATE, "pop", 1, &one)};
    const uint32_t factors[] = {integer(3), add(STRC_NODE_POP, NULL, 0, NULL)};
    const uint32_t product = add(STRC_NODE_BINARY, "*", 2, factors);
    const uint32_t push = add(STRC_NODE_PUSH, NULL, 1, &product);
    const uint32_t work[] = {rates[0], rates[1], add(STRC_NODE_BLOCK, NULL, 1, &push)};
    const uint32_t filter[] = {type, type, add(STRC_NODE_WORK, NULL, 3, work)};
    return add(STRC_NODE_FILTER, "Thrice", 3, filter);
}

static int said(const char* why) {
    if (strstr(strc_tree_refusal(tree), why)) return 1;
    fprintf(stderr, "said: %s\n", strc_tree_refusal(tree));
    return 0;
}

static void refusals(uint32_t filter) {
    const uint32_t missing = 1000, none = 0;
    CHECK(strc_tree_add(tree, NULL) == 0);
    CHECK(strc_tree_add(NULL, NULL) == 0);
    CHECK(strc_tree_refusal(NULL)[0] == '\0');
    CHECK(add(STRC_NODE_PUSH, NULL, 0, NULL) == 0 && said("the push lacks its part 1"));
    CHECK(add(STRC_NODE_PUSH, NULL, 1, &missing) == 0 && said("part 1 of the push is no node: 1000"));
    CHECK(add(STRC_NODE_PUSH, NULL, 1, &none) == 0);
    CHECK(add(STRC_NODE_PUSH, NULL, 1, &filter) == 0 && said("the push has no place for its part 1, a filter"));
    CHECK(add((strc_node_kind)1234, NULL, 0, NULL) == 0 && said("there is no kind 1234"));
    const uint32_t type = add(STRC_NODE_TYPE, "int", 0, NULL);
    CHECK(said(""));
    const uint32_t counter = add(STRC_NODE_VARIABLE, "i", 1, &type);
    const uint32_t loop[] = {counter, integer(3), integer(1), add(STRC_NODE_BLOCK, NULL, 0, NULL)};
    CHECK(add(STRC_NODE_FOR, "<", 4, loop) == 0 && said("has no value to begin with"));
    const uint32_t sum[] = {integer(1), integer(2)};
    CHECK(add(STRC_NODE_ASSIGN, "=", 2, sum) == 0 && said("the assignment has no place for its part 1, a number"));
    CHECK(add(STRC_NODE_BINARY, "@", 2, sum) == 0 && said("'@' is the name of no operator: there are || &&"));
    CHECK(add(STRC_NODE_BINARY, NULL, 2, sum) == 0);
    const uint32_t value = add(STRC_NODE_BINARY, "+", 2, sum);
    CHECK(value != 0 && add(STRC_NODE_EVALUATE, NULL, 1, &value) == 0);
    const uint32_t table = add(STRC_NODE_TABLE, NULL, 2, sum);
    CHECK(table != 0 && add(STRC_NODE_PUSH, NULL, 1, &table) == 0);
    strc_node small = {0};
    small.size = 8;
    CHECK(strc_tree_add(tree, &small) == 0);
}

/* What stands too deep is refused before anything walks it. */
static void depth(void) {
    uint32_t inner = integer(1);
    int levels = 0;
    while (inner != 0 && levels < 100000) {
        inner = add(STRC_NODE_UNARY, "-", 1, &inner);
        ++levels;
    }
    CHECK(levels > 1000 && levels < 100000 && said("more than 1500 expressions"));
}

int main(void) {
    tree = strc_tree_new();
    const uint32_t filter = thrice();
    CHECK(filter != 0);
    refusals(filter);
    depth();

    strc_compiler* compiler = strc_compiler_new();
    CHECK(strc_compiler_add_tree(compiler, tree, 1) == STRC_WRONG_CALL); /* no stream */
    CHECK(strc_compiler_add_tree(compiler, tree, 0) == STRC_WRONG_CALL);
    CHECK(strc_compiler_tree_text(compiler, NULL) == NULL);
    CHECK(strc_compiler_add_tree(compiler, tree, filter) == STRC_OK);
    CHECK(strc_compiler_add_tree(compiler, tree, filter) == STRC_WRONG_CALL);
    CHECK(strc_compiler_tree_is_open(compiler));
    size_t size = 0;
    const char* text = strc_compiler_tree_text(compiler, &size);
    CHECK(text && size == strlen(text));
    CHECK(strstr(text, "int->int filter Thrice {\n    work push 1 pop 1 {\n        push(3 * pop());\n"));
    strc_tree_free(tree); /* the compiler has what it needs */
    CHECK(strc_compiler_compile(compiler, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    const int in[] = {1, 2, 5};
    int out[3] = {0};
    size_t produced = 0;
    CHECK(strc_compiler_run_items(compiler, in, 3, out, 3, &produced) == STRC_OK);
    CHECK(produced == 3 && out[0] == 3 && out[1] == 6 && out[2] == 15);
    strc_compiler_free(compiler);
    return 0;
}
