# The shared library by which executables run filters whose shapes only the run knows. Nothing of the compiler is in it but the
# evaluator and the definitions of the operations on tensors.
add_library(strc_symbolic_library SHARED
    "${PROJECT_SOURCE_DIR}/runtime/symbolic/symbolic.cpp" "${PROJECT_SOURCE_DIR}/runtime/symbolic/fmt.cpp")
target_link_libraries(strc_symbolic_library PRIVATE strc_dynamic_shapes strc_build)
target_link_options(strc_symbolic_library PRIVATE
    -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,--as-needed -static-libstdc++ -static-libgcc)
set_target_properties(strc_symbolic_library PROPERTIES
    OUTPUT_NAME strc_symbolic LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
    CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
install(TARGETS strc_symbolic_library ${STRC_DEPENDENCIES} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
add_dependencies(strc_driver strc_symbolic_library)
