#include <cmath>

#include "unit/runtime/fixture.h"

namespace strc::testing {
namespace {

class Print : public RuntimeTest {};

TEST_F(Print, EveryType) {
    EXPECT_EQ(print([](strc_env* env) { strc_print_boolean(env, 1); }), "true");
    EXPECT_EQ(print([](strc_env* env) { strc_print_boolean(env, 0); }), "false");
    EXPECT_EQ(print([](strc_env* env) { strc_print_int(env, INT32_MIN); }), "-2147483648");
    EXPECT_EQ(print([](strc_env* env) { strc_print_char(env, 'x'); }), "x");
    EXPECT_EQ(print([](strc_env* env) { strc_print_char(env, 0); }), std::string(1, '\0'));
    EXPECT_EQ(print([](strc_env* env) { strc_print_char(env, 0xe4); }), "\xe4");
    EXPECT_EQ(print([](strc_env* env) { strc_print_float(env, 0.1f); }), "0.1");
    EXPECT_EQ(print([](strc_env* env) { strc_print_double(env, 0.1f); }), "0.10000000149011612");
    EXPECT_EQ(print([](strc_env* env) { strc_print_complex(env, 1.5f, -2); }), "1.5-2.0i");
    EXPECT_EQ(print([](strc_env* env) { strc_print_newline(env); }), "\n");
}

TEST_F(Print, LikeC) {
    env.c_format = 1;
    EXPECT_EQ(print([](strc_env* env) { strc_print_float(env, 0.1f); }), "0.100000");
    EXPECT_EQ(print([](strc_env* env) { strc_print_double(env, -1e10); }), "-10000000000.000000");
    EXPECT_EQ(print([](strc_env* env) { strc_print_complex(env, NAN, INFINITY); }), "nan+infi");
    EXPECT_EQ(print([](strc_env* env) { strc_print_int(env, 7); }), "7");
}

TEST_F(Print, Strings) {
    const strc_string zero = {3, "a\0b"};
    EXPECT_EQ(print([&](strc_env* env) { strc_print_string(env, &zero); }), std::string("a\0b", 3));
    EXPECT_EQ(print([](strc_env* env) { strc_print_string(env, nullptr); }), "");
}

TEST_F(Print, AtOnce) {
    print([](strc_env* env) {
        strc_print_int(env, 1);
        strc_print_newline(env);
        strc_print_complex(env, 1, 1);
    });
    EXPECT_EQ(prints, 3);
    EXPECT_EQ(printed, "1\n1.0+1.0i");
}

}  // namespace
}  // namespace strc::testing
