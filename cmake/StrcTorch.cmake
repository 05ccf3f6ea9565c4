# The shared library by which programs call libtorch (--kernels=torch): made where PyTorch's headers are, which
# ./strc setup torch installs. Nothing else is compiled with them or linked with it.
set(venv "$ENV{STRC_VENV}")
if(NOT venv)
    set(data "$ENV{XDG_DATA_HOME}")
    if(NOT data)
        set(data "$ENV{HOME}/.local/share")
    endif()
    set(venv "${data}/strc/venv")
endif()
set(found "")
if(NOT STRC_PACKAGED)  # it belongs to one PyTorch, in one place
    file(GLOB found "${venv}/lib/python3*/site-packages/torch/include/ATen/ATen.h")
endif()
if(found)
    list(GET found 0 found)
    cmake_path(GET found PARENT_PATH torch)
    cmake_path(GET torch PARENT_PATH torch)
    cmake_path(GET torch PARENT_PATH torch)
    add_library(strc_torch SHARED "${PROJECT_SOURCE_DIR}/runtime/torch/torch.cpp")
    target_include_directories(strc_torch PRIVATE "${PROJECT_SOURCE_DIR}/runtime/include")
    target_include_directories(strc_torch SYSTEM PRIVATE "${torch}/include")
    target_link_libraries(strc_torch PRIVATE "${torch}/lib/libtorch_cpu.so" "${torch}/lib/libc10.so")
    # Where libtorch is now, or beside it in a bundle.
    set_target_properties(strc_torch PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
        CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON
        BUILD_RPATH "$ORIGIN;${torch}/lib" INSTALL_RPATH "$ORIGIN;${torch}/lib"
        COMPILE_OPTIONS "-O2;-g0")
    install(TARGETS strc_torch LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
else()
    message(STATUS "There are no headers of PyTorch in ${venv}: programs cannot call it (--kernels=torch)")
endif()
