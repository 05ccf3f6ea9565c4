# What is installed beside programs and libraries, and what scripts/package makes of an installation.

# A portable installation has what it needs in lib/strc, found from wherever it is put. The older kind of entry, RPATH,
# counts for what these libraries need in their turn, too. Of the C++ library there is only one in a process, which others
# may have loaded already: libstrc takes that of the system, as manylinux has it; the program is by itself.
if(STRC_PORTABLE)
    set(bundled "${CMAKE_INSTALL_LIBDIR}/strc")
    foreach(target strc-tool strc strc_symbolic_library)
        target_link_options(${target} PRIVATE
            -Wl,--as-needed -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--disable-new-dtags)
        set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/strc")
    endforeach()
    target_link_options(strc-tool PRIVATE -static-libstdc++ -static-libgcc)
    set_target_properties(strc-tool PROPERTIES INSTALL_RPATH "$ORIGIN/../${bundled}")
    # What glibc and the C++ library consist of is there on every Linux that has them.
    install(RUNTIME_DEPENDENCY_SET strc_bundled
        PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so" "^libstrc"
        LIBRARY DESTINATION "${bundled}")
endif()

# Man pages and shell completion: what the command line itself says about its options. Builds that are there to be tested are
# not run for it.
if(NOT STRC_SANITIZE AND NOT STRC_FUZZ AND NOT STRC_COVERAGE)
    set(pages "${PROJECT_BINARY_DIR}/pages")
    add_custom_command(OUTPUT "${pages}/_strc"
        COMMAND "${PROJECT_SOURCE_DIR}/tools/package/pages" $<TARGET_FILE:strc-tool> "${pages}"
        DEPENDS strc-tool "${PROJECT_SOURCE_DIR}/tools/package/pages"
        COMMENT "Writing man pages and shell completion" VERBATIM)
    add_custom_target(strc_pages ALL DEPENDS "${pages}/_strc")
    install(DIRECTORY "${pages}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
    install(FILES "${pages}/strc.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME strc)
    install(FILES "${pages}/strc.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
    set(zsh "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    if(STRC_PACKAGED AND NOT STRC_PORTABLE)
        set(zsh "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")  # where Debian's zsh looks
    endif()
    install(FILES "${pages}/_strc" DESTINATION "${zsh}")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# Whose work is in the files, once all of them are in place.
if(STRC_PACKAGED)
    install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/tools/package/copyright.py\"
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\"
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/strc\" $<BOOL:${STRC_PORTABLE}>
        COMMAND_ERROR_IS_FATAL ANY)")
endif()

set(CPACK_PACKAGE_NAME strc)
set(CPACK_PACKAGE_VENDOR "The strc authors")
set(CPACK_PACKAGE_CONTACT "The strc authors <strc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler for StreamIt programs and PyTorch models")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_FILE_NAME "strc-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Runs stream programs compiled in memory, and makes executables and shared
libraries of them. It brings along libstrc, the compiler as a library.")
# `strc build` links with the C compiler, the prompt is edited in Python, pictures of graphs are drawn by Graphviz.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc | c-compiler, libc6-dev, python3, python3-prompt-toolkit")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "graphviz, python3-venv")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/tools/package/triggers")
include(CPack)
