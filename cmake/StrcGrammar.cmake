# strc_grammar(GRAMMAR.g4): library `strc_grammar` with the lexer and parser that ANTLR generates
# into the build tree. Debian's tool is 4.7.2 and its C++ runtime 4.9; the two work together, but
# the generated code keeps u8 literals in std::string, so it is compiled with -fno-char8_t.
function(strc_grammar grammar)
    get_filename_component(name "${grammar}" NAME_WE)
    set(folder "${CMAKE_BINARY_DIR}/grammar/generated")
    set(generated "")
    foreach(part Lexer Parser)
        list(APPEND generated "${folder}/${name}${part}.cpp" "${folder}/${name}${part}.h")
    endforeach()
    get_filename_component(grammarFolder "${grammar}" DIRECTORY)
    add_custom_command(
        OUTPUT ${generated}
        COMMAND ${STRC_ANTLR} -Dlanguage=Cpp -no-visitor -no-listener -Werror
                -package strc::grammar -o "${folder}" "${name}.g4"
        WORKING_DIRECTORY "${grammarFolder}"
        DEPENDS "${grammar}"
        COMMENT "Generating the parser from ${name}.g4" VERBATIM)
    add_library(strc_grammar STATIC ${generated})
    target_include_directories(strc_grammar SYSTEM PUBLIC
        "${folder}" "${ANTLR4_INCLUDE_DIR}")
    # Unoptimised, the generated tables and ANTLR's templates are ten times slower: never -O0.
    target_compile_options(strc_grammar PUBLIC -fno-char8_t PRIVATE -w $<$<CONFIG:Debug>:-O1>)
    # The archive starts sooner, but is not made for shared libraries.
    target_link_libraries(strc_grammar PUBLIC Threads::Threads
        $<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>,antlr4_shared,antlr4_static>)
endfunction()
