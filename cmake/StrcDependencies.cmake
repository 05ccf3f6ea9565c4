# Every third-party library, found once at the top so that all folders see the same targets.
# scripts/packages.txt names the Debian package of each.
find_package(Threads REQUIRED)
find_package(antlr4-runtime REQUIRED CONFIG)
if(STRC_PORTABLE)  # as a part of what is linked: Debian has it as a shared library alone
    add_library(strc_fmt STATIC "${PROJECT_SOURCE_DIR}/runtime/symbolic/fmt.cpp")
    set_target_properties(strc_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(strc_fmt PUBLIC FMT_SHARED)  # as elsewhere, so that ccache knows the rest
    add_library(fmt::fmt ALIAS strc_fmt)
else()
    find_package(fmt REQUIRED CONFIG)
endif()
find_package(CLI11 REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ffi REQUIRED IMPORTED_TARGET libffi)
find_program(STRC_ANTLR antlr4 REQUIRED)
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
add_library(strc_llvm INTERFACE)
target_include_directories(strc_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
if(STRC_PORTABLE)  # the parts that are used, which the linker thins out
    llvm_map_components_to_libnames(llvmParts orcjit orcdebugging passes linker bitreader X86 AArch64 NVPTX)
    target_link_libraries(strc_llvm INTERFACE ${llvmParts})
else()  # the shared library of Debian, whose symbols are versioned: nothing of it meets another LLVM
    target_link_libraries(strc_llvm INTERFACE LLVM)
endif()
if(STRC_TESTS)
    find_package(GTest REQUIRED CONFIG)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
