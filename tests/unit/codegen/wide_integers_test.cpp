// Parts of vectors that LLVM reads as integers of 256 bits and more, with which its X86 target crashes.

#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

/// Its columns are copied as wholes and read in parts, from a vector or, in chunks, from memory.
constexpr const char* kProgram = R"(
void->int filter Source {
  int[4] none;
  int n;
  work push 3 { push(none[n & 3]); push(n * none[1] + 31); push(none[n & 3]); }
}
int->int filter Eight {
  work push 8 pop 1 {
    push(pop());
    for (int k = 0; k < 4; k++) push((k >> k) % (-3));
    push(2147483393);
    push(65435);
    push(0);
  }
}
int->int filter Two {
  boolean more;
  work push 2 pop 4 {
    push(peek(0) ^ peek(0));
    push(peek(0));
    int[2] two;
    for (int k = 0; k < 2; k++) two[k] = pop();
    pop();
    if (peek(0) > 1) more = false;
    pop();
  }
}
int->void filter Show { work pop 1 { println(pop()); } }
void->void pipeline Main {
  add Source;
  add splitjoin {
    split roundrobin(3, 1, 2);
    add pipeline {
      add Eight;
      add Two;
      add int->int filter { work push 1 pop 6 { push(1); for (int k = 0; k < 6; k++) pop(); } };
    };
    add Identity<int>;
    add Identity<int>;
    join roundrobin(2, 1, 2);
  };
  add Show;
}
)";

class WideIntegers : public CompiledTest {
protected:
    void expectNone() {
        compile(kProgram);
        codegen::Options options;
        options.processor = "x86-64-v4";
        codegen::Module module = lower(options);
        codegen::optimize(module, options);
        for (const char* type : {"i128 ", "i256 ", "i512 ", "i1024 "})
            EXPECT_EQ(codegen::printLlvm(module).find(type), std::string::npos) << type;
        EXPECT_FALSE(codegen::printAssembly(module, options).empty());
        run(iterations(100));
        const std::string compiled = std::exchange(printed, "");
        interpret(iterations(100));
        EXPECT_EQ(compiled, printed);
    }
};

TEST_F(WideIntegers, PartsOfVectorsAreVectors) { expectNone(); }

TEST_F(WideIntegers, PartsOfMemoryAreVectors) {
    request.chunks = true;
    expectNone();
}

}  // namespace
}  // namespace strc::testing
