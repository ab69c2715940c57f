# SPDX-License-Identifier: BSD-2-Clause
# cmake -DCMAKE_TOOLCHAIN_FILE=…/lib/selkie/selkie.cmake: builds a program for
# Selkie's kernel.
get_filename_component(SELKIE_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER "${SELKIE_ROOT}/bin/selkie-cc")
set(CMAKE_AR "${SELKIE_ROOT}/bin/selkie-ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${SELKIE_ROOT}/bin/selkie-ranlib" CACHE FILEPATH "")
set(CMAKE_NM "${SELKIE_ROOT}/bin/selkie-nm" CACHE FILEPATH "")
set(CMAKE_STRIP "${SELKIE_ROOT}/bin/selkie-strip" CACHE FILEPATH "")

# Programs of the machine that builds; everything else from the sysroot.
set(CMAKE_FIND_ROOT_PATH "${SELKIE_ROOT}/sysroot")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(BUILD_SHARED_LIBS OFF CACHE BOOL "")
