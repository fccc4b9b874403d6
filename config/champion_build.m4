dnl Copyright (c) 2026 The champion authors. All rights reserved.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause

dnl CHAMPION_LIBTOOL_NO_RPATH
dnl -------------------------
dnl Plug-ins find libchampion_mq.so beside themselves ($ORIGIN), so that an
dnl installed folder can be moved. Without this libtool would put the absolute
dnl path of the installation in front.
AC_DEFUN([CHAMPION_LIBTOOL_NO_RPATH], [
    AC_CONFIG_COMMANDS([libtool-rpath], [
        sed -e 's|^hardcode_libdir_flag_spec=.*|hardcode_libdir_flag_spec=""|' \
            -e 's|^runpath_var=LD_RUN_PATH|runpath_var=DIE_RPATH_DIE|' \
            libtool >libtool.new && cat libtool.new >libtool && rm -f libtool.new
    ])
])

dnl CHAMPION_RELEASE
dnl ----------------
dnl What VERSION has beyond the number that AC_INIT was given.
AC_DEFUN([CHAMPION_RELEASE], [
    AC_SUBST([RELEASE_MAJOR], [m4_esyscmd([sh config/get_version.sh VERSION major])])
    AC_SUBST([RELEASE_MINOR], [m4_esyscmd([sh config/get_version.sh VERSION minor])])
    AC_SUBST([RELEASE_RELEASE], [m4_esyscmd([sh config/get_version.sh VERSION release])])
    AC_SUBST([RELEASE_DATE], [m4_esyscmd([sh config/get_version.sh VERSION date])])
])

dnl CHAMPION_CFLAGS
dnl ---------------
dnl Called when all checks are done: these flags would spoil them.
AC_DEFUN([CHAMPION_CFLAGS], [
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [make warnings errors (developers)])])
    AC_ARG_ENABLE([debug],
        [AS_HELP_STRING([--enable-debug],
            [check assertions at run time: locking, the contract of the mq
             framework (slow; implied by --enable-sanitizers)])])
    AC_ARG_ENABLE([sanitizers],
        [AS_HELP_STRING([--enable-sanitizers=LIST],
            [build with gcc's sanitizers: address, undefined, thread, separated
             by commas. The MPI programs then need the run-time libraries
             preloaded: see docs/install.md])])

    champion_flags="-Wall -Wextra -Wno-unused-parameter -Wundef -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wshadow"
    AS_IF([test "$enable_werror" = yes], [champion_flags="$champion_flags -Werror"])
    dnl The compiler's default is a dialect of C17, without this.
    AS_IF([test "$GCC" = yes], [champion_flags="-std=gnu11 $champion_flags"])

    AS_IF([test "$enable_sanitizers" = yes], [enable_sanitizers=address,undefined])
    AS_IF([test -n "$enable_sanitizers" && test "$enable_sanitizers" != no], [
        AC_MSG_CHECKING([for the sanitizers $enable_sanitizers])
        champion_sanitize="-fsanitize=$enable_sanitizers -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g"
        champion_save=$CFLAGS
        CFLAGS="$CFLAGS $champion_sanitize"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])
             AC_MSG_ERROR([$CC cannot link with -fsanitize=$enable_sanitizers])])
        CFLAGS=$champion_save
        dnl Open MPI's headers have memory fences, which this one ignores.
        AS_CASE([$enable_sanitizers], [*thread*],
            [champion_sanitize="$champion_sanitize -Wno-tsan"])
        champion_flags="$champion_flags $champion_sanitize"
        LDFLAGS="$LDFLAGS -fsanitize=$enable_sanitizers"
    ])
    AS_CASE([$enable_debug:$enable_sanitizers],
        [:|:no], [enable_debug=no], [:*], [enable_debug=yes])
    dnl In CFLAGS and not in AM_CFLAGS: a Makefile.am may set its own.
    CFLAGS="$champion_flags $CFLAGS"
    AC_SUBST([AM_CPPFLAGS], ['$(OMPI_CPPFLAGS) $(PMIX_CFLAGS)'])

    dnl Seen by every source file: this is the plug-in build, not one inside
    dnl Open MPI's tree, and where help-*.txt are, also as the way from
    dnl libchampion_mq.so.
    AS_IF([test "$enable_debug" = no], [OMPI_CPPFLAGS="-DNDEBUG $OMPI_CPPFLAGS"])
    OMPI_CPPFLAGS="-DMCA_MQ_PLUGIN_BUILD=1 -DMCA_MQ_HELPDIR='\"\$(ompidatadir)\"' -DMCA_MQ_HELPDIR_FROM_LIB='\"\$(help_from_components)\"' $OMPI_CPPFLAGS"
])

dnl CHAMPION_COMPONENTS
dnl -------------------
dnl What Open MPI's configure defines for each component, so that the
dnl Makefile.am of a component works in both builds: here every component is a
dnl plug-in, but the last resort, which is part of libchampion_mq.
AC_DEFUN([CHAMPION_COMPONENTS], [
    MCA_ompi_STATIC_SUBDIRS=
    MCA_ompi_DSO_SUBDIRS=
    m4_foreach([champion_framework], [mq, pml, coll], [
        m4_foreach([champion_component],
                   m4_defn([CHAMPION_]champion_framework[_COMPONENTS]),
                   [CHAMPION_COMPONENT(m4_defn([champion_framework]), m4_defn([champion_component]))])
    ])
    AC_SUBST([MCA_ompi_STATIC_SUBDIRS])
    AC_SUBST([MCA_ompi_DSO_SUBDIRS])

    dnl What the configure.m4 files of the framework and of champion give other
    dnl values in Open MPI's tree.
    AM_CONDITIONAL([MQ_PLUGIN_BUILD], [true])
    AC_SUBST([mq_grafted_headers], [])
    AM_CONDITIONAL([WANT_INSTALL_HEADERS], [false])
    AC_SUBST([mq_plugin_LDFLAGS],
        ["-Wl,-z,defs -Wl,-z,nodelete -Wl,--enable-new-dtags -Wl,-rpath,'\$\$ORIGIN'"])
    AC_SUBST([mq_plugin_LIBS],
        ['$(top_builddir)/ompi/mca/mq/libchampion_mq.la $(OMPI_LIBS)'])
    AC_SUBST([pml_champion_CPPFLAGS],
        ['$(OMPI_CPPFLAGS) $(PMIX_CFLAGS) $(UCX_CFLAGS)'])
    AC_SUBST([pml_champion_LDFLAGS], [])
    AC_SUBST([pml_champion_LIBS], ['$(UCX_LIBS)'])
    AC_SUBST([pml_champion_cuda_LIBS], ['$(OMPI_CUDA_LIBS)'])
])

dnl CHAMPION_TESTS
dnl --------------
dnl Which folders of test/ are there, and which of them hold unit tests.
AC_DEFUN([CHAMPION_TESTS], [
    CHAMPION_TEST_SUBDIRS="CHAMPION_TEST_DIRECTORIES"
    CHAMPION_UNIT_SUBDIRS=
    for champion_dir in $CHAMPION_TEST_SUBDIRS; do
        case $champion_dir in
        class|mq|pml) CHAMPION_UNIT_SUBDIRS="$CHAMPION_UNIT_SUBDIRS $champion_dir" ;;
        esac
    done
    AC_SUBST([CHAMPION_TEST_SUBDIRS])
    AC_SUBST([CHAMPION_UNIT_SUBDIRS])
])

dnl CHAMPION_COMPONENT(FRAMEWORK, NAME)
AC_DEFUN([CHAMPION_COMPONENT], [
    m4_if([$1/$2], [mq/list],
        [AM_CONDITIONAL([MCA_BUILD_ompi_$1_$2_DSO], [false])
         MCA_ompi_STATIC_SUBDIRS="$MCA_ompi_STATIC_SUBDIRS mca/$1/$2"],
        [AM_CONDITIONAL([MCA_BUILD_ompi_$1_$2_DSO], [true])
         MCA_ompi_DSO_SUBDIRS="$MCA_ompi_DSO_SUBDIRS mca/$1/$2"])
])

AC_DEFUN([CHAMPION_SUMMARY], [
    cat <<END

champion $PACKAGE_VERSION for Open MPI $champion_ompi_version ($MPICC)
  components:   `champion_expand "$ompilibdir"`
  programs:     `champion_expand "$bindir"`
  sanitizers:   ${enable_sanitizers:-no}
  assertions:   $enable_debug
END
    if test $champion_have_otf2 = 0; then
        echo "  mq_replay:    without --import (Debian package: libopen-trace-format2-dev)"
    fi
    if test $champion_have_cmocka = no; then
        echo "  make check:   not possible, cmocka is missing (Debian package: libcmocka-dev)"
    fi
])
