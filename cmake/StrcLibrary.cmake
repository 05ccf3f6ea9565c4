# Folder = static library = namespace = test folder.

# strc_library(FOLDER [DEPS folder...] [PRIVATE library...])
#   static library strc_FOLDER from src/FOLDER/**.cpp. DEPS are the folders of src/ whose headers it
#   may include; PRIVATE are third-party libraries of its .cpp files, never of its headers.
#   Headers in FOLDER/detail/ are private to the folder and may include its third-party libraries.
#   A folder that holds headers only becomes an interface library; one not there yet is skipped,
#   as are dependencies on it.
function(strc_library folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS;PRIVATE")
    set(path "${CMAKE_CURRENT_SOURCE_DIR}/${folder}")
    if(NOT IS_DIRECTORY "${path}")
        # Once it appears, the next build configures again.
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}")
        return()
    endif()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${path}/*.cpp")
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${path}/*.h")
    list(FILTER headers EXCLUDE REGEX "/detail/")
    set(deps "")
    foreach(dep IN LISTS arg_DEPS)
        if(TARGET strc_${dep})
            list(APPEND deps strc_${dep})
        endif()
    endforeach()
    if(sources)
        add_library(strc_${folder} STATIC ${sources})
        set_property(GLOBAL APPEND PROPERTY STRC_LIBRARIES ${folder})
        set(scope PUBLIC)
        target_link_libraries(strc_${folder} PUBLIC ${deps} PRIVATE strc_build ${arg_PRIVATE})
        strc_unity(strc_${folder})
    else()
        add_library(strc_${folder} INTERFACE)
        set(scope INTERFACE)
        target_link_libraries(strc_${folder} INTERFACE ${deps})
    endif()
    target_include_directories(strc_${folder} ${scope} "${CMAKE_CURRENT_SOURCE_DIR}")
    # The target all_verify_interface_header_sets compiles each of them alone.
    target_sources(strc_${folder} ${scope} FILE_SET HEADERS
        BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}" FILES ${headers})
    set_target_properties(strc_${folder} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# strc_embed(TARGET SYMBOL BASE FILE...)
#   puts text files into TARGET. `#include "embedded/SYMBOL.h"` declares
#   `std::span<const strc::base::EmbeddedFile> strc::embedded::SYMBOL()`: one {name, text} a file,
#   in the order of the names; a name is the file's path relative to BASE.
function(strc_embed target symbol base)
    if(NOT TARGET ${target})
        return()
    endif()
    get_target_property(kind ${target} TYPE)
    if(kind STREQUAL "INTERFACE_LIBRARY")
        return()
    endif()
    set(files ${ARGN})
    list(SORT files)
    set(folder "${CMAKE_BINARY_DIR}/embedded/${target}")
    set(source "${folder}/embedded/${symbol}.cpp")
    set(header "${folder}/embedded/${symbol}.h")
    set(list "${folder}/${symbol}.files")
    string(REPLACE ";" "\n" lines "${files}")
    file(CONFIGURE OUTPUT "${list}" CONTENT "${lines}" @ONLY)
    add_custom_command(
        OUTPUT "${source}" "${header}"
        COMMAND ${CMAKE_COMMAND} -DSYMBOL=${symbol} -DBASE=${base} -DFILES=${list}
                -DSOURCE=${source} -DHEADER=${header}
                -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
        DEPENDS ${files} "${list}" "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
        COMMENT "Embedding ${symbol}" VERBATIM)
    target_sources(${target} PRIVATE "${source}" "${header}")
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# strc_embed_file(TARGET SYMBOL MAKER FILE)
#   puts the bytes of a file that target MAKER makes into TARGET. `#include "embedded/SYMBOL.h"`
#   declares `std::string_view strc::embedded::SYMBOL()`.
function(strc_embed_file target symbol maker file)
    if(NOT TARGET ${target})
        return()
    endif()
    set(folder "${CMAKE_BINARY_DIR}/embedded/${target}")
    set(source "${folder}/embedded/${symbol}.cpp")
    set(header "${folder}/embedded/${symbol}.h")
    set(SYMBOL ${symbol})
    set(FILE "${file}")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/embed_file.cpp.in" "${source}" @ONLY)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/embed_file.h.in" "${header}" @ONLY)
    # A unit of several sources would not be compiled again with the file.
    set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${file}"
        SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE "${source}" "${header}")
    target_include_directories(${target} PRIVATE "${folder}")
    add_dependencies(${target} ${maker})
endfunction()
