# Finds the libraries hearsay is built on; names a missing one together with its Debian package.

macro(hearsay_need found name package)
  if(NOT ${found})
    message(FATAL_ERROR "hearsay needs ${name}; install it with: apt-get install ${package}")
  endif()
endmacro()

find_package(Threads REQUIRED)
set(Protobuf_USE_STATIC_LIBS OFF)
find_package(Protobuf QUIET)
hearsay_need(Protobuf_FOUND "Protobuf" "libprotobuf-dev protobuf-compiler")
hearsay_need(Protobuf_PROTOC_EXECUTABLE "the Protobuf compiler" "protobuf-compiler")
find_package(absl QUIET)
hearsay_need(absl_FOUND "Abseil" "libabsl-dev")
find_package(RocksDB QUIET)
hearsay_need(RocksDB_FOUND "RocksDB" "librocksdb-dev")
find_package(PkgConfig QUIET)
hearsay_need(PKG_CONFIG_FOUND "pkg-config" "pkg-config")
pkg_check_modules(ZSTD QUIET IMPORTED_TARGET libzstd)
hearsay_need(ZSTD_FOUND "ZSTD" "libzstd-dev")
pkg_check_modules(CGRAPH QUIET IMPORTED_TARGET libcgraph libgvc)
hearsay_need(CGRAPH_FOUND "Graphviz (cgraph, gvc)" "libgraphviz-dev graphviz")
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp)
hearsay_need(CLI11_INCLUDE_DIR "CLI11" "libcli11-dev")
find_package(GTest QUIET)
hearsay_need(GTest_FOUND "GoogleTest" "libgtest-dev libgmock-dev")
find_package(benchmark QUIET)
hearsay_need(benchmark_FOUND "Google Benchmark" "libbenchmark-dev")

# hearsay_proto(TARGET file.proto ...): a static library of the generated messages, included as
# "folder/file.pb.h" from the build tree. Generated code is not ours: compiled without our warnings.
function(hearsay_proto target)
  set(sources)
  foreach(proto ${ARGN})
    get_filename_component(stem ${proto} NAME_WE)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    set(out ${CMAKE_BINARY_DIR}/${folder}/${stem}.pb)
    add_custom_command(
      OUTPUT ${out}.cc ${out}.h
      COMMAND ${Protobuf_PROTOC_EXECUTABLE} --cpp_out=${CMAKE_BINARY_DIR} -I${CMAKE_SOURCE_DIR}
              ${folder}/${proto}
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${proto})
    list(APPEND sources ${out}.cc)
  endforeach()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_BINARY_DIR})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf)
endfunction()
