# offmem: build, stage, install, package and test.  See README.md.
#
#   GCC=gcc-12     the compiler that the plugin is for; several, or 'all' here
#   PREFIX LIBDIR INCLUDEDIR DESTDIR   where 'make install' puts what is not that compiler's
#   SPECS=no       for packages, which make the specs files where they are installed

GCC     ?= gcc
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
INCLUDEDIR ?= $(PREFIX)/include
BASHDIR ?= $(DATADIR)/bash-completion/completions
FISHDIR ?= $(DATADIR)/fish/vendor_completions.d
ZSHDIR  ?= $(DATADIR)/zsh/site-functions
CARGO   ?= cargo
INSTALL ?= install

build   := target/release
stage   := $(abspath target/stage)
soname  := libgomp-offmem.so.1
library := $(soname).0.0
version := $(shell sed -n '/^\[workspace.package\]/,/^$$/s/^version = "\(.*\)"/\1/p' Cargo.toml)

# The same bytes from the same sources, wherever they and cargo's copies stand.
cargo_home = $(or $(CARGO_HOME),$(HOME)/.cargo)
remap   = --config 'build.rustflags = ["--remap-path-prefix=$(CURDIR)=.", "--remap-path-prefix=$(cargo_home)=cargo"]'
release = $(CARGO) $(1) $(remap) --release --quiet

# What does the compiler say of itself, and of which does the goal speak? What
# is installed may go after the headers it was built with.
gccs = $(if $(filter all,$(GCC)),$(or $(shell packaging/gccs.sh $(if $(filter uninstall,$(MAKECMDGOALS)),--any)),$(error no GCC here has plugin headers)),$(GCC))
gcc_plugin_folder = $(realpath $(shell $(1) -print-file-name=plugin))
gcc_specs_folder  = $(dir $(realpath $(shell $(1) -print-libgcc-file-name)))
# …and below a folder of LIBRARY_PATH: MACHINE/VERSION.
gcc_suffix        = $(shell $(1) -dumpmachine)/$(shell $(1) -dumpversion)
# Where its plugin is built: of its own, so that those of several wait to be installed.
gcc_build         = target/plugin/$(subst /,_,$(1))

hash := \#
# Lines of a recipe.
define newline


endef

# jemalloc's own make, which cargo starts, has variables of the same names: given
# ours, it would install into the system's folders.
MAKEOVERRIDES =
unexport DESTDIR PREFIX BINDIR LIBDIR DATADIR INCLUDEDIR BASHDIR FISHDIR ZSHDIR

.DELETE_ON_ERROR:
.PHONY: all stage demo check matrix bench install uninstall packages soak check-libgomp dist dist-check deb deb-test clean

# $(call build_plugin,GCC)
define build_plugin
	@GCC='$(1)' $(call release,build) --target-dir '$(gcc_build)' -p offmem-gcc-plugin
endef

all:
	@$(call release,build) -p offmem-libgomp -p offmem-driver-flag
	$(foreach gcc,$(gccs),$(call build_plugin,$(gcc))$(newline))

# $(call place,ROOT,BINDIR,LIBDIR,DATADIR,INCLUDEDIR,BASHDIR,FISHDIR,ZSHDIR): copies what serves
# every compiler to below ROOT and has it refer to its final places.
define place
	@$(INSTALL) -d '$(1)$(2)' '$(1)$(3)/pkgconfig' '$(1)$(3)/cmake/OffMem' '$(1)$(4)/man/man1' '$(1)$(5)' '$(1)$(6)' '$(1)$(7)' '$(1)$(8)'
	@$(INSTALL) -m 755 $(build)/offmem '$(1)$(2)/offmem'
	@$(INSTALL) -m 644 $(build)/libgomp_offmem.so '$(1)$(3)/$(library)'
	@ln -sf $(library) '$(1)$(3)/$(soname)'
	@ln -sf $(soname) '$(1)$(3)/libgomp-offmem.so'
	@$(INSTALL) -m 644 libgomp-ext/include/offmem.h libgomp-ext/include/offmem.f90 '$(1)$(5)'
	@sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(3)|; s|@INCLUDEDIR@|$(5)|; s|@VERSION@|$(version)|' packaging/offmem.pc.in > '$(1)$(3)/pkgconfig/offmem.pc'
	@$(INSTALL) -m 644 packaging/OffMemConfig.cmake '$(1)$(3)/cmake/OffMem'
	@$(build)/offmem generate man > '$(1)$(4)/man/man1/offmem.1'
	@$(build)/offmem generate bash > '$(1)$(6)/offmem'
	@$(build)/offmem generate fish > '$(1)$(7)/offmem.fish'
	@$(build)/offmem generate zsh > '$(1)$(8)/_offmem'
endef

# $(call place_plugin,ROOT,GCC,PLUGINDIR,SPECSDIR,LIBDIR): the same with what is one compiler's.
# The specs come last, at once, and refer to what is there.
define place_plugin
	@$(INSTALL) -d '$(1)$(3)'
	@$(INSTALL) -m 644 '$(call gcc_build,$(2))/release/liboffmem.so' driver-flag/link/offmem-link-* '$(1)$(3)'
	$(if $(filter no,$(SPECS)),,
	@$(INSTALL) -d '$(1)$(4)'
	@$(build)/offmem specs --gcc '$(2)' --plugin '$(3)/liboffmem.so' --runtime '$(5)/libgomp-offmem.so' > '$(1)$(4)/specs.new'
	@mv '$(1)$(4)/specs.new' '$(1)$(4)/specs')
endef

# All under target/stage, for '. target/stage/env.sh', and softcuda, which is
# never installed; needs no root.
stage: all
	@$(call release,build) -p softcuda
	$(call place,,$(stage)/bin,$(stage)/lib,$(stage)/share,$(stage)/include,$(stage)/share/bash-completion/completions,$(stage)/share/fish/vendor_completions.d,$(stage)/share/zsh/site-functions)
	$(foreach gcc,$(gccs),$(call place_plugin,,$(gcc),$(stage)/lib/gcc/$(call gcc_suffix,$(gcc)),$(stage)/lib/gcc/$(call gcc_suffix,$(gcc)),$(stage)/lib)$(newline))
	@$(INSTALL) -d '$(stage)/lib/softcuda'
	@$(INSTALL) -m 755 $(build)/libcuda.so '$(stage)/lib/softcuda/libcuda.so.1'
	@sed 's|@STAGE@|$(stage)|' packaging/env.sh.in > $(stage)/env.sh
	@$(INSTALL) -d '$(stage)/modulefiles'
	@sed 's|@STAGE@|$(stage)|' packaging/modulefile.lua.in > $(stage)/modulefiles/offmem.lua

# $(call foreign,FILE): a specs file that is not ours
foreign = { [ -e '$(1)' ] && ! grep -q "^$(hash) Made by 'offmem specs'" '$(1)'; }

# $(call install_check,GCC): nothing is copied for any if one has specs of somebody else's.
define install_check
	@if $(call foreign,$(DESTDIR)$(call gcc_specs_folder,$(1))specs); then \
	  echo "make: '$(call gcc_specs_folder,$(1))specs' exists and is not offmem's: move it away first" >&2; exit 1; fi
endef

install: all
	$(if $(filter no,$(SPECS)),,$(foreach gcc,$(gccs),$(call install_check,$(gcc))$(newline)))
	$(call place,$(DESTDIR),$(BINDIR),$(LIBDIR),$(DATADIR),$(INCLUDEDIR),$(BASHDIR),$(FISHDIR),$(ZSHDIR))
	$(foreach gcc,$(gccs),$(call place_plugin,$(DESTDIR),$(gcc),$(call gcc_plugin_folder,$(gcc)),$(call gcc_specs_folder,$(gcc)),$(LIBDIR))$(newline))
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

# $(call remove_plugin,SPECS,PLUGINDIR): the specs, which refer to the rest, go first.
define remove_plugin
	@if ! $(call foreign,$(1)); then rm -f '$(1)'; fi
	@rm -f '$(2)/liboffmem.so' $(foreach mode,none pinned unified,'$(2)/offmem-link-$(mode)')
endef

uninstall:
	$(foreach gcc,$(gccs),$(call remove_plugin,$(DESTDIR)$(call gcc_specs_folder,$(gcc))specs,$(DESTDIR)$(call gcc_plugin_folder,$(gcc)))$(newline))
	@cd '$(or $(DESTDIR),/)' && for file in '$(BINDIR)/offmem' '$(DATADIR)/man/man1/offmem.1' \
	  '$(LIBDIR)/$(library)' '$(LIBDIR)/$(soname)' '$(LIBDIR)/libgomp-offmem.so' '$(LIBDIR)/pkgconfig/offmem.pc' '$(LIBDIR)/cmake/OffMem/OffMemConfig.cmake' \
	  '$(INCLUDEDIR)/offmem.h' '$(INCLUDEDIR)/offmem.f90' '$(BASHDIR)/offmem' '$(FISHDIR)/offmem.fish' '$(ZSHDIR)/_offmem'; do \
	  rm -f ".$$file"; done
	@# Folders that few have but for us.
	@cd '$(or $(DESTDIR),/)' && for folder in '$(BASHDIR)' '$(FISHDIR)' '$(ZSHDIR)' '$(LIBDIR)/pkgconfig' '$(LIBDIR)/cmake/OffMem'; do \
	  rmdir ".$$folder" ".$${folder%/*}" 2>/dev/null || :; done
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

# The sources of the last commit and of every crate, in target/: builds without a network.
dist:
	@packaging/dist.sh

# Two builds of that, to compare them.
dist-check: dist
	@GCC='$(GCC)' packaging/dist-check.sh

# Debian packages for this machine's GCCs, in target/deb, checked by lintian; with
# SUITE for another Debian's, in target/deb-SUITE, built there.
deb: dist
	@SUITE='$(SUITE)' GCCS='$(GCCS)' MIRROR='$(MIRROR)' packaging/deb.sh

# Those packages in a fresh Debian; as root.
deb-test: deb
	@$(call release,build) -p softcuda
	@SUITE='$(SUITE)' MIRROR='$(MIRROR)' packaging/deb-test.sh

packages:
	@packaging/debian-packages.sh

demo: packages stage
	@examples/demo.sh

check: packages stage
	@GCC='$(GCC)' testsuite/check.sh

# With each of GCCS (all that it has) in a tree of Debian's SUITE (sid) below
# MATRIX (target/matrix), which comes from MIRROR.
matrix: packages stage
	@GCCS='$(GCCS)' SUITE='$(SUITE)' MATRIX='$(MATRIX)' MIRROR='$(MIRROR)' testsuite/matrix/run.sh

bench: packages stage
	@GCC='$(GCC)' $(call release,run) -p offmem-testsuite --bin bench -- $(ONLY)

# OPERATIONS random ones (100000000) by JOBS processes at a time, from SEED on.
soak: packages stage
	@GCC='$(GCC)' $(call release,run) -p offmem-testsuite --bin soak

# libgomp's own tests, on softcuda or (DEVICE=) on what the environment leads
# to; MEMORY=pinned adds the option, and POLICY, STRATEGY and MIN_SIZE set its
# variables.
DEVICE ?= softcuda
check-libgomp: packages stage
	@GCC='$(GCC)' MEMORY='$(MEMORY)' POLICY='$(POLICY)' STRATEGY='$(STRATEGY)' MIN_SIZE='$(MIN_SIZE)' \
	  DEVICE='$(DEVICE)' $(call release,run) -p offmem-testsuite --bin check-libgomp

clean:
	$(CARGO) clean
