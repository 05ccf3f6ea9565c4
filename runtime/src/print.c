// print and println: each value goes to the host as soon as its text is made.
#include "run.h"
#include "strc/values.h"

static void give(strc_env *env, const char *text, uint64_t size) {
    const strc_host *host = env->host;
    if (host->print(host->self, text, size) != 0) strc_leave(env, STRC_END_STOPPED);
}

void strc_print_boolean(strc_env *env, int32_t value) {
    if (value)
        give(env, "true", 4);
    else
        give(env, "false", 5);
}

void strc_print_int(strc_env *env, int32_t value) {
    char text[STRC_TEXT_ROOM];
    give(env, text, strc_text_of_int(text, value));
}

void strc_print_char(strc_env *env, int32_t value) {
    char text = (char)value;
    give(env, &text, 1);
}

void strc_print_float(strc_env *env, float value) {
    char text[STRC_TEXT_ROOM];
    give(env, text, strc_text_of_float(text, value, env->c_format));
}

void strc_print_double(strc_env *env, double value) {
    char text[STRC_TEXT_ROOM];
    give(env, text, strc_text_of_double(text, value, env->c_format));
}

void strc_print_complex(strc_env *env, float re, float im) {
    char text[STRC_TEXT_ROOM];
    give(env, text, strc_text_of_complex(text, re, im, env->c_format));
}

void strc_print_string(strc_env *env, const strc_string *value) {
    if (value) give(env, value->text, value->size);
}

void strc_print_newline(strc_env *env) { give(env, "\n", 1); }
