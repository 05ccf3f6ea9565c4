/* libstrc loaded for this program alone, which links neither with it nor with libm: load LIBRARY */
#include <dlfcn.h>
#include <stdio.h>
#include <strc/strc.h>
#include <string.h>

static void* library;

static void* find(const char* name) { return dlsym(library, name); }
#define CALL(name) ((__typeof__(&name))find(#name))

int main(int argc, char** argv) {
    library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return puts(dlerror()), 1;
    if (find("strc_execute") || find("strc_trap")) return puts("it exports too much"), 1;
    const char* text = "float->float filter Cosine { work pop 1 push 1 { push(cos(pop())); } }";
    strc_compiler* compiler = CALL(strc_compiler_new)();
    CALL(strc_compiler_add_source)(compiler, "cosine.str", text, strlen(text));
    CALL(strc_compiler_set)(compiler, "top", "Cosine");
    CALL(strc_compiler_compile)(compiler, STRC_STAGE_PLANNED, NULL, NULL);
    strc_run_options options = {.size = sizeof options};
    strc_run_result result;
    if (CALL(strc_compiler_run)(compiler, &options, &result) != STRC_OK || !result.compiled)
        return puts("it is not compiled"), 1;
    float in = 0, out = 0;
    size_t produced = 0;
    CALL(strc_compiler_run_items)(compiler, &in, 1, &out, 1, &produced);
    printf("%g\n", out);
    CALL(strc_compiler_free)(compiler);
    return 0;
}
