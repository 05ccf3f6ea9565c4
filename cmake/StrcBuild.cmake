# How everything of ours is compiled and linked: language level, warnings, sanitizers, the linker,
# ccache and the number of jobs. Targets take it by linking `strc_build` (privately).

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)  # the runtime is plain C on POSIX
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
foreach(language C CXX)
    set(CMAKE_${language}_FLAGS_RELEASE "-O2 -DNDEBUG")
    if(CMAKE_${language}_FLAGS_DEBUG STREQUAL "-g")  # CMake's default; presets may say more
        set(CMAKE_${language}_FLAGS_DEBUG "-O0 -g1")
    endif()
endforeach()

add_library(strc_build INTERFACE)
target_compile_options(strc_build INTERFACE -Wall -Wextra -Wshadow=local
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
target_compile_options(strc_build INTERFACE -Werror=switch)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # The names differ; the local form of -Wshadow is GCC's.
    # libstdc++ 12 itself calls what it has deprecated (in std::stable_sort), and Clang says so.
    set_property(TARGET strc_build PROPERTY INTERFACE_COMPILE_OPTIONS
        -Wall -Wextra -Werror=switch -Wno-deprecated-declarations)
endif()
# The language rounds every operation: a * b + c is never one.
target_compile_options(strc_build INTERFACE -ffp-contract=off)
if(STRC_WERROR)
    target_compile_options(strc_build INTERFACE -Werror)
endif()
# __FILE__ in an assertion shows the path inside the project, whoever built it and wherever.
target_compile_options(strc_build INTERFACE "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")
file(RELATIVE_PATH upward "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}/")
target_compile_options(strc_build INTERFACE "-fmacro-prefix-map=${upward}=")  # as ccache puts it
# Debug, sanitized and fuzzing builds run the expensive self-checks (schedule and IR verifiers).
if(STRC_SANITIZE OR STRC_FUZZ OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_definitions(strc_build INTERFACE STRC_CHECKED=1)
endif()

if(STRC_SANITIZE)
    add_compile_options(-fsanitize=${STRC_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${STRC_SANITIZE})
endif()
if(STRC_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
    target_compile_definitions(strc_build INTERFACE STRC_FUZZ=1)
endif()
if(STRC_COVERAGE)
    target_compile_options(strc_build INTERFACE --coverage -fprofile-update=atomic)
    add_link_options(--coverage)
endif()

# The quickest linker there is; each is found where Debian puts it.
find_program(STRC_MOLD mold)
find_program(STRC_LLD ld.lld HINTS /usr/lib/llvm-19/bin)
mark_as_advanced(STRC_MOLD STRC_LLD)
if(STRC_MOLD)
    add_link_options(-fuse-ld=mold)
elseif(STRC_LLD)
    get_filename_component(lldFolder "${STRC_LLD}" DIRECTORY)
    add_link_options(-B${lldFolder} -fuse-ld=lld)
endif()

# One cache serves every checkout, since paths are hashed relative to the checkout; not where sources are compiled several at a
# time (strc_unity), as CMake names these by absolute paths.
find_program(STRC_CCACHE ccache)
mark_as_advanced(STRC_CCACHE)
if(STRC_CCACHE)
    set(launcher env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${STRC_CCACHE}")
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# strc_unity(TARGET): several sources of the target become one translation unit, so that headers, LLVM's above all, are read
# once for all of them. A batch stays small enough to be compiled again within seconds after a change. The names in its
# anonymous namespaces have to differ within a folder. Debug and sanitized builds compile each source alone.
function(strc_unity target)
    set(size 8)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(strc_llvm IN_LIST libraries)
        set(size 4)
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${STRC_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# A compile job takes up to 1.5 GB (generated parser, optimised); a link runs alone.
if(STRC_COMPILE_JOBS)
    set(compileJobs ${STRC_COMPILE_JOBS})
else()
    cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
    cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
    math(EXPR compileJobs "${megabytes} / 1500")
    if(compileJobs GREATER cores)
        set(compileJobs ${cores})
    endif()
    if(compileJobs LESS 1)
        set(compileJobs 1)
    endif()
endif()
set_property(GLOBAL PROPERTY JOB_POOLS compile=${compileJobs} link=1)
set(CMAKE_JOB_POOL_COMPILE compile)
set(CMAKE_JOB_POOL_LINK link)
