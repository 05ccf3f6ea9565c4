# Every third-party library, found once at the top so that all folders see the same targets.
# scripts/packages.txt names the Debian package of each.
find_package(Threads REQUIRED)
find_package(antlr4-runtime REQUIRED CONFIG)
find_package(fmt REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ffi REQUIRED IMPORTED_TARGET libffi)
find_program(STRC_ANTLR antlr4 REQUIRED)
# The shared library of Debian, whose symbols are versioned: nothing of it meets another LLVM.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
target_include_directories(LLVM SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
if(STRC_TESTS)
    find_package(GTest REQUIRED CONFIG)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
