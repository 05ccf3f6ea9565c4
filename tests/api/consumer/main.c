#include <stdio.h>
#include <strc/strc.h>
#include <string.h>

int main(void) {
    const char* text = "int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }";
    strc_compiler* compiler = strc_compiler_new();
    strc_compiler_add_source(compiler, "twice.str", text, strlen(text));
    strc_compiler_set(compiler, "top", "Twice");
    int in[3] = {1, 2, 3}, out[3];
    size_t produced;
    if (strc_compiler_compile(compiler, STRC_STAGE_PLANNED, NULL, NULL) != STRC_OK ||
        strc_compiler_run_items(compiler, in, 3, out, 3, &produced) != STRC_OK) {
        strc_diagnostic fault;
        for (size_t k = 0; strc_compiler_diagnostic(compiler, k, &fault) == STRC_OK; ++k)
            fputs(fault.text, stderr);
        return 1;
    }
    for (size_t k = 0; k < produced; ++k) printf("%d\n", out[k]);
    strc_compiler_free(compiler);
    return 0;
}
