# strc_unit_tests(FOLDER [WITH folder...])
#   executable unit_FOLDER from tests/unit/FOLDER/**.cpp, linked with strc_FOLDER and with the
#   folders after WITH, which the tests need to make their inputs. Each GoogleTest case is one ctest
#   test `unit.FOLDER.Suite.Case`, labelled `unit` and `FOLDER`. Tests find files of the tree by
#   STRC_SOURCE_DIR.
function(strc_unit_tests folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "WITH")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
    if(NOT sources OR NOT TARGET strc_${folder})
        return()
    endif()
    set(target unit_${folder})
    add_executable(${target} ${sources})
    strc_unity(${target})
    target_link_libraries(${target} PRIVATE strc_build strc_${folder} GTest::gmock GTest::gtest_main)
    foreach(dep IN LISTS arg_WITH)
        if(TARGET strc_${dep})
            target_link_libraries(${target} PRIVATE strc_${dep})
        endif()
    endforeach()
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    # Compiling them takes longer than running them.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
    target_compile_definitions(${target} PRIVATE STRC_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 3600
        TEST_PREFIX unit.${folder}.
        PROPERTIES LABELS "unit;${folder}" TIMEOUT 3600)
endfunction()
