# offmem: build, stage, install and test.  See README.md.
#
#   GCC=gcc-12     the compiler that the plugin is for
#   PREFIX LIBDIR INCLUDEDIR DESTDIR   where 'make install' puts what is not that compiler's

GCC     ?= gcc
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
INCLUDEDIR ?= $(PREFIX)/include
CARGO   ?= cargo
INSTALL ?= install

build   := target/release
stage   := $(abspath target/stage)
soname  := libgomp-offmem.so.1
library := $(soname).0.0

# The compiler's own folders: its plugins, and where it reads specs from.
gcc_plugin_folder = $(shell $(GCC) -print-file-name=plugin)
gcc_specs_folder  = $(dir $(shell $(GCC) -print-libgcc-file-name))
# …and below a folder of LIBRARY_PATH: MACHINE/VERSION.
gcc_suffix        = $(shell $(GCC) -dumpmachine)/$(shell $(GCC) -dumpversion)

.DELETE_ON_ERROR:
.PHONY: all stage demo check matrix bench install uninstall packages soak check-libgomp clean

all:
	@GCC='$(GCC)' $(CARGO) build --release --quiet -p offmem-gcc-plugin -p offmem-libgomp -p offmem-driver-flag

# $(call place,ROOT,BINDIR,LIBDIR,DATADIR,PLUGINDIR,SPECSDIR,INCLUDEDIR): copies everything
# to below ROOT and has it refer to its final places.
define place
	@$(INSTALL) -d '$(1)$(2)' '$(1)$(3)' '$(1)$(5)' '$(1)$(6)' '$(1)$(4)/man/man1' '$(1)$(7)' '$(1)$(3)/cmake/OffMem'
	@$(INSTALL) -m 755 $(build)/offmem '$(1)$(2)/offmem'
	@$(INSTALL) -m 644 $(build)/libgomp_offmem.so '$(1)$(3)/$(library)'
	@ln -sf $(library) '$(1)$(3)/$(soname)'
	@ln -sf $(soname) '$(1)$(3)/libgomp-offmem.so'
	@$(INSTALL) -m 644 $(build)/liboffmem.so driver-flag/link/offmem-link-* '$(1)$(5)'
	@$(INSTALL) -m 644 libgomp-ext/include/offmem.h libgomp-ext/include/offmem.f90 '$(1)$(7)'
	@$(INSTALL) -m 644 packaging/OffMemConfig.cmake '$(1)$(3)/cmake/OffMem'
	@$(build)/offmem generate man > '$(1)$(4)/man/man1/offmem.1'
	@$(build)/offmem specs --gcc '$(GCC)' --plugin '$(5)/liboffmem.so' --runtime '$(3)/libgomp-offmem.so' > '$(1)$(6)/specs.new'
	@mv '$(1)$(6)/specs.new' '$(1)$(6)/specs'
endef

# All under target/stage, for '. target/stage/env.sh', and softcuda, which is
# never installed; needs no root.
stage: all
	@$(CARGO) build --release --quiet -p softcuda
	$(call place,,$(stage)/bin,$(stage)/lib,$(stage)/share,$(stage)/lib/gcc/$(gcc_suffix),$(stage)/lib/gcc/$(gcc_suffix),$(stage)/include)
	@$(INSTALL) -d '$(stage)/lib/softcuda'
	@$(INSTALL) -m 755 $(build)/libcuda.so '$(stage)/lib/softcuda/libcuda.so.1'
	@sed 's|@STAGE@|$(stage)|' packaging/env.sh.in > $(stage)/env.sh
	@$(INSTALL) -d '$(stage)/modulefiles'
	@sed 's|@STAGE@|$(stage)|' packaging/modulefile.lua.in > $(stage)/modulefiles/offmem.lua

install: all
	@if [ -e '$(DESTDIR)$(gcc_specs_folder)specs' ] && ! grep -q "^# Made by 'offmem specs'" '$(DESTDIR)$(gcc_specs_folder)specs'; then \
	  echo "make: '$(gcc_specs_folder)specs' exists and is not offmem's: move it away first" >&2; exit 1; fi
	$(call place,$(DESTDIR),$(BINDIR),$(LIBDIR),$(DATADIR),$(gcc_plugin_folder),$(gcc_specs_folder),$(INCLUDEDIR))
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

uninstall:
	@if grep -q "^# Made by 'offmem specs'" '$(DESTDIR)$(gcc_specs_folder)specs' 2>/dev/null; then rm -f '$(DESTDIR)$(gcc_specs_folder)specs'; fi
	@rm -f '$(DESTDIR)$(gcc_plugin_folder)/liboffmem.so' $(foreach mode,none pinned unified,'$(DESTDIR)$(gcc_plugin_folder)/offmem-link-$(mode)')
	@rm -f '$(DESTDIR)$(BINDIR)/offmem' '$(DESTDIR)$(DATADIR)/man/man1/offmem.1'
	@rm -f '$(DESTDIR)$(LIBDIR)/$(library)' '$(DESTDIR)$(LIBDIR)/$(soname)' '$(DESTDIR)$(LIBDIR)/libgomp-offmem.so'
	@rm -rf '$(DESTDIR)$(LIBDIR)/cmake/OffMem'
	@rm -f '$(DESTDIR)$(INCLUDEDIR)/offmem.h' '$(DESTDIR)$(INCLUDEDIR)/offmem.f90'

packages:
	@packaging/debian-packages.sh

demo: packages stage
	@examples/demo.sh

check: packages stage
	@GCC='$(GCC)' testsuite/check.sh

# With each of GCCS ("11 12 13 14 15 16") in a tree of Debian sid below MATRIX
# (target/matrix), which comes from MIRROR.
matrix: packages stage
	@GCCS='$(GCCS)' MATRIX='$(MATRIX)' MIRROR='$(MIRROR)' testsuite/matrix/run.sh

bench: packages stage
	@GCC='$(GCC)' $(CARGO) run --release --quiet -p offmem-testsuite --bin bench -- $(ONLY)

# OPERATIONS random ones (100000000) by JOBS processes at a time, from SEED on.
soak: packages stage
	@GCC='$(GCC)' $(CARGO) run --release --quiet -p offmem-testsuite --bin soak

# libgomp's own tests, on softcuda or (DEVICE=) on what the environment leads
# to; MEMORY=pinned adds the option, and POLICY, STRATEGY and MIN_SIZE set its
# variables.
DEVICE ?= softcuda
check-libgomp: packages stage
	@GCC='$(GCC)' MEMORY='$(MEMORY)' POLICY='$(POLICY)' STRATEGY='$(STRATEGY)' MIN_SIZE='$(MIN_SIZE)' \
	  DEVICE='$(DEVICE)' $(CARGO) run --release --quiet -p offmem-testsuite --bin check-libgomp

clean:
	$(CARGO) clean
