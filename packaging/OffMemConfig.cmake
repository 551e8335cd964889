# find_package (OffMem): targets OffMem::pinned and OffMem::unified, which give
# what links to them -foffload-memory=, when compiling and when linking. With
# them or without, a program also wants OpenMP or OpenACC.
foreach (mode IN ITEMS pinned unified)
  if (NOT TARGET OffMem::${mode})
    add_library (OffMem::${mode} INTERFACE IMPORTED)
    set_target_properties (OffMem::${mode} PROPERTIES
      INTERFACE_COMPILE_OPTIONS "-foffload-memory=${mode}"
      INTERFACE_LINK_OPTIONS "-foffload-memory=${mode}")
  endif ()
endforeach ()
