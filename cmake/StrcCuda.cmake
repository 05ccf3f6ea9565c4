# What strc brings along for CUDA devices: the kernels of stdlib/native/cuda as nvcc makes them, and the toolkit's
# functions of real numbers as LLVM reads them. Without a toolkit both are empty, and --device says so.
find_program(STRC_NVCC nvcc HINTS /usr/local/cuda/bin)
set(STRC_CUDA_LIBRARY "${PROJECT_BINARY_DIR}/cuda/library.fatbin")
set(STRC_CUDA_FUNCTIONS "${PROJECT_BINARY_DIR}/cuda/empty")
file(WRITE "${PROJECT_BINARY_DIR}/cuda/empty.new" "")
file(COPY_FILE "${PROJECT_BINARY_DIR}/cuda/empty.new" "${STRC_CUDA_FUNCTIONS}" ONLY_IF_DIFFERENT)
set(source "${PROJECT_SOURCE_DIR}/stdlib/native/cuda/library.cu")
set(parts "${PROJECT_SOURCE_DIR}/stdlib/native/cuda/attention.cu" "${PROJECT_SOURCE_DIR}/stdlib/native/cuda/contract.cu"
    "${PROJECT_SOURCE_DIR}/runtime/include/strc/attention.h" "${PROJECT_SOURCE_DIR}/runtime/include/strc/contraction.h")
if(STRC_NVCC)
    file(REAL_PATH "${STRC_NVCC}" nvcc)
    cmake_path(GET nvcc PARENT_PATH toolkit)
    cmake_path(GET toolkit PARENT_PATH toolkit)
    file(GLOB functions "${toolkit}/nvvm/libdevice/libdevice.*.bc")
    if(functions)
        list(GET functions 0 STRC_CUDA_FUNCTIONS)
    endif()
    # Machine code for the present kind of device, and what its driver can make code of for others.
    add_custom_command(OUTPUT "${STRC_CUDA_LIBRARY}"
        COMMAND "${STRC_NVCC}" -O3 -std=c++17 -I "${PROJECT_SOURCE_DIR}/runtime/include" -fatbin
                -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90
                "${source}" -o "${STRC_CUDA_LIBRARY}"
        DEPENDS "${source}" ${parts} COMMENT "Compiling CUDA kernels" VERBATIM)
else()
    message(STATUS "There is no nvcc: programs cannot run on CUDA devices (--device)")
    add_custom_command(OUTPUT "${STRC_CUDA_LIBRARY}"
        COMMAND ${CMAKE_COMMAND} -E touch "${STRC_CUDA_LIBRARY}" VERBATIM)
endif()
add_custom_target(strc_cuda DEPENDS "${STRC_CUDA_LIBRARY}")
