dnl Copyright (c) 2026 The champion authors. All rights reserved.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause

dnl CHAMPION_CHECK_OMPI
dnl -------------------
dnl Find the Open MPI that mpicc belongs to, its series and its devel headers.
dnl This is the one place where the build knows about series.
AC_DEFUN([CHAMPION_CHECK_OMPI], [
    AC_ARG_VAR([MPICC], [compiler wrapper of the Open MPI to build for @<:@mpicc@:>@])
    if test -n "$MPICC"; then
        champion_mpicc=`command -v "$MPICC"`
        if test ! -x "$champion_mpicc"; then
            AC_MSG_ERROR([MPICC=$MPICC: there is no such program])
        fi
        MPICC=$champion_mpicc
    fi
    AC_PATH_PROGS([MPICC], [mpicc])
    OMPI_CPPFLAGS=
    OMPI_LIBS=
    OMPI_SERIES=
    OMPI_BINDIR=
    if test -z "$MPICC"; then
        CHAMPION_MISSING([Open MPI's compiler wrapper mpicc, not found in PATH],
                         [openmpi-bin libopenmpi-dev])
    else
        AC_MSG_CHECKING([which Open MPI $MPICC belongs to])
        champion_ompi_version=`$MPICC --showme:version 2>/dev/null |
            sed -n 's/.*Open MPI v*\(@<:@0-9@:>@@<:@^ @:>@*\).*/\1/p'`
        AC_MSG_RESULT([${champion_ompi_version:-none}])
        if test -z "$champion_ompi_version"; then
            CHAMPION_MISSING([Open MPI: $MPICC is another MPI's; name Open MPI's with MPICC=mpicc.openmpi],
                             [openmpi-bin libopenmpi-dev])
        else
            CHAMPION_OMPI_SERIES
            CHAMPION_OMPI_HEADERS
        fi
    fi
    AC_SUBST([OMPI_SERIES])
    AC_SUBST([OMPI_BINDIR])
    AC_SUBST([OMPI_CPPFLAGS])
    AC_SUBST([OMPI_LIBS])
])

dnl Series differ in the name of libmpi, and in whether distributions install all
dnl headers: config/headers has what they leave out.
AC_DEFUN([CHAMPION_OMPI_SERIES], [
    OMPI_SERIES=`echo $champion_ompi_version | sed 's/^\(@<:@0-9@:>@*\.@<:@0-9@:>@*\).*/\1/'`
    case $OMPI_SERIES in
    4.1)
        champion_libmpi=mpi
        champion_headers=' -idirafter $(top_srcdir)/config/headers'
        ;;
    5.0)
        champion_libmpi=mpi
        champion_headers=' -idirafter $(top_srcdir)/config/headers'
        ;;
    6.0)
        champion_libmpi=open_mpi
        champion_headers=' -idirafter $(top_srcdir)/config/headers'
        ;;
    *)
        AC_MSG_ERROR([$MPICC belongs to Open MPI $champion_ompi_version, which is not supported: champion needs the 4.1, 5.0 or 6.0 series.
Name another Open MPI with MPICC=/path/to/mpicc])
        ;;
    esac

    dnl -L and run-time paths as the wrapper would give them.
    for champion_flag in `$MPICC --showme:link`; do
        case $champion_flag in
        -L*|-Wl,*rpath*|-Wl,/*|-Wl,@*|-Wl,--enable-new-dtags)
            OMPI_LIBS="$OMPI_LIBS $champion_flag"
            ;;
        esac
    done
    OMPI_LIBS="$OMPI_LIBS -l$champion_libmpi -lopen-pal"

    OMPI_BINDIR=`dirname "$MPICC"`
    dnl Open MPI looks in ~/.openmpi/components unless its administrator said
    dnl otherwise.
    if test $champion_home_install = yes && test -x "$OMPI_BINDIR/ompi_info"; then
        AC_MSG_CHECKING([whether this Open MPI looks in ~/.openmpi/components])
        if (unset OMPI_MCA_mca_base_component_path OMPI_MCA_mca_component_path
            "$OMPI_BINDIR/ompi_info" --param mca base --level 9 --parsable 2>/dev/null) |
           grep 'mca_base_component_path:value:.*\.openmpi/components' >/dev/null; then
            AC_MSG_RESULT([yes])
        else
            AC_MSG_RESULT([no])
            AC_MSG_WARN([what is installed to $prefix/components will not be found without --mca mca_base_component_path])
        fi
    fi
])

AC_DEFUN([CHAMPION_OMPI_HEADERS], [
    AC_MSG_CHECKING([for the headers of Open MPI's components])
    champion_ompi_incdir=
    for champion_dir in `$MPICC --showme:incdirs`; do
        dnl As system headers: their warnings are not ours.
        OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem $champion_dir"
        if test -f "$champion_dir/ompi/mca/pml/pml.h" &&
           test -f "$champion_dir/opal/mca/base/mca_base_framework.h"; then
            champion_ompi_incdir=$champion_dir
        fi
    done
    dnl Upstream's mpicc does not name the directory itself.
    if test -z "$champion_ompi_incdir"; then
        for champion_dir in `$MPICC --showme:incdirs`; do
            if test -f "$champion_dir/openmpi/ompi/mca/pml/pml.h"; then
                champion_ompi_incdir=$champion_dir/openmpi
                OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem $champion_ompi_incdir"
            fi
        done
    fi
    if test -z "$champion_ompi_incdir"; then
        AC_MSG_RESULT([no])
        CHAMPION_MISSING([the headers of Open MPI's components (ompi/mca/pml/pml.h; an Open MPI of your own has them when configured with --with-devel-headers)],
                         [libopenmpi-dev])
    else
        AC_MSG_RESULT([$champion_ompi_incdir])
    fi
    OMPI_CPPFLAGS="-I\$(top_srcdir) -I\$(top_builddir)$OMPI_CPPFLAGS$champion_headers"
])

dnl CHAMPION_CHECK_PMIX
dnl -------------------
dnl Open MPI's headers include PMIx's.
AC_DEFUN([CHAMPION_CHECK_PMIX], [
    CHAMPION_PKG([PMIX], [pmix], [], [],
        [CHAMPION_MISSING([the headers of PMIx, which those of Open MPI include (pkg-config pmix)],
                          [libpmix-dev])])
    dnl From 5.0 on components call it themselves.
    pmix_components=
    case $OMPI_SERIES in
    5.0|6.0)
        OMPI_LIBS="$OMPI_LIBS $PMIX_LIBS"
        CHAMPION_PMIX_COMPONENTS
        ;;
    esac
    AC_SUBST([pmix_components])
    AC_SUBST([pmix_hides])
])

dnl CHAMPION_PMIX_COMPONENTS
dnl ------------------------
dnl Where PMIx's own components are, and whether it hides those of users. A
dnl component path in its file of settings (Debian 13 has one) is given by mpirun
dnl to Open MPI, too, which then looks nowhere else.
AC_DEFUN([CHAMPION_PMIX_COMPONENTS], [
    champion_pmix_prefix=`$PKG_CONFIG --variable=prefix pmix 2>/dev/null`
    champion_pmix_libdir=`$PKG_CONFIG --variable=libdir pmix 2>/dev/null`
    if test -d "$champion_pmix_libdir/pmix"; then
        pmix_components=$champion_pmix_libdir/pmix
    fi
    champion_hides='^@<:@@<:@:space:@:>@@:>@*mca_base_component_path@<:@@<:@:space:@:>@@:>@*='
    pmix_hides=
    if test $champion_found_by != env.sh; then
        for champion_file in "$champion_pmix_prefix"/share/pmix-mca-params.conf \
            "$champion_pmix_prefix"/etc/pmix-mca-params.conf /etc/pmix-mca-params.conf; do
            if grep "$champion_hides" "$champion_file" >/dev/null 2>&1; then
                pmix_hides=$champion_file
                AC_MSG_WARN([mpirun will not find what is installed to `champion_expand "$ompilibdir"`, because
$champion_file sets mca_base_component_path.
Either comment that line out, or put this where your shell starts:
    export PMIX_MCA_mca_base_param_files=/dev/null])
            fi
        done
    fi
])

dnl CHAMPION_CHECK_UCX
dnl ------------------
AC_DEFUN([CHAMPION_CHECK_UCX], [
    CHAMPION_PKG([UCX], [ucx], [1.13], [],
        [CHAMPION_MISSING([UCX 1.13 or later with its headers (pkg-config ucx)],
                          [libucx-dev])])
])

dnl CHAMPION_CHECK_CMOCKA
dnl ---------------------
dnl Only `make check` needs it, and says so when it is not there. Its version 2
dnl warns of names for which version 1, which Debian 12 has, knows no others.
AC_DEFUN([CHAMPION_CHECK_CMOCKA], [
    CHAMPION_PKG([CMOCKA], [cmocka], [1.1],
                 [champion_have_cmocka=yes
                  CMOCKA_CFLAGS="$CMOCKA_CFLAGS -DCMOCKA_DISABLE_DEPRECATION_WARNINGS"],
                 [champion_have_cmocka=no])
    AM_CONDITIONAL([CHAMPION_HAVE_CMOCKA], [test $champion_have_cmocka = yes])
])

dnl CHAMPION_CHECK_OTF2
dnl -------------------
dnl Only `mq_replay --import` needs it, and says so when it is not there. Debian
dnl has a file for pkg-config, others a program of OTF2's own.
AC_DEFUN([CHAMPION_CHECK_OTF2], [
    AC_ARG_WITH([otf2],
        [AS_HELP_STRING([--with-otf2],
            [mq_replay --import reads OTF2 archives (default: if the library
             is there)])],
        [], [with_otf2=maybe])
    champion_have_otf2=0
    AS_IF([test "$with_otf2" != no], [
        if test -z "$OTF2_CFLAGS$OTF2_LIBS" &&
            ! { test -n "$PKG_CONFIG" && $PKG_CONFIG --exists otf2; } 2>/dev/null &&
            otf2-config --version >/dev/null 2>&1; then
            OTF2_CFLAGS=`otf2-config --cflags`
            OTF2_LIBS="`otf2-config --ldflags` `otf2-config --libs`"
        fi
        CHAMPION_PKG([OTF2], [otf2], [], [champion_have_otf2=1], [
            AS_IF([test "$with_otf2" = yes],
                [CHAMPION_MISSING([OTF2], [libopen-trace-format2-dev])])])
    ])
    AC_SUBST([champion_have_otf2])
])

dnl CHAMPION_CHECK_OMPI_LINK
dnl ------------------------
dnl One look at the headers and libraries as components use them. Open MPI's
dnl headers have an atomic operation on 16 bytes where its own compiler flags
dnl gave it one; they may need the same flag here.
AC_DEFUN([CHAMPION_CHECK_OMPI_LINK], [
    champion_cflags=$CFLAGS
    champion_cppflags=$CPPFLAGS
    champion_libs=$LIBS
    CPPFLAGS="$CPPFLAGS `echo "$OMPI_CPPFLAGS" |
        sed -e 's/-I@<:@^ @:>@*//g' -e 's|.(top_srcdir)|'"$srcdir|g"` $PMIX_CFLAGS $UCX_CFLAGS"
    LIBS="$OMPI_LIBS $UCX_LIBS $LIBS"
    champion_links=no
    for champion_flag in '' -mcx16; do
        AC_MSG_CHECKING([whether a component for this Open MPI compiles and links${champion_flag:+ with }$champion_flag])
        CFLAGS="$champion_cflags $champion_flag"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[
                #include "ompi_config.h"
                #include "opal/class/opal_lifo.h"
                #include "opal/mca/base/base.h"
                #include "ompi/mca/pml/pml.h"
                #include "ompi/mca/pml/base/base.h"
                #include <ucp/api/ucp.h>
            ]], [[
                opal_lifo_t lifo;
                ucp_context_print_info(0, 0);
                return 0 != opal_lifo_pop_atomic(&lifo) &&
                       mca_base_framework_register(&ompi_pml_base_framework, 0);
            ]])],
            [champion_links=yes])
        AC_MSG_RESULT([$champion_links])
        if test $champion_links = yes; then
            champion_cflags=$CFLAGS
            break
        fi
    done
    if test $champion_links = no; then
        AC_MSG_ERROR([nothing compiles against $MPICC's Open MPI; the compiler's messages are in config.log])
    fi
    CFLAGS=$champion_cflags
    CHAMPION_OMPI_EVENTS
    CHAMPION_OMPI_CUDA
    CPPFLAGS=$champion_cppflags
    LIBS=$champion_libs
])

dnl CHAMPION_OMPI_EVENTS
dnl --------------------
dnl From 6.0 on components can raise events of MPI_T. Their interface is young: it
dnl has to be the one that is used here.
AC_DEFUN([CHAMPION_OMPI_EVENTS], [
    AC_MSG_CHECKING([whether components can raise events of MPI_T])
    champion_events=0
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
            #include "ompi_config.h"
            #include "opal/mca/base/mca_base_event.h"
            static opal_count_t now(void *ctx) { return 0; }
        ]], [[
            static const mca_base_var_type_t types[1] = {MCA_BASE_VAR_TYPE_INT};
            static const ptrdiff_t offsets[1] = {0};
            mca_base_event_source_t *source = 0;
            mca_base_event_t *event = 0;
            int data = 0;
            (void) mca_base_event_source_register("a", "", MCA_BASE_EVENT_SOURCE_UNORDERED,
                1, OPAL_COUNT_MAX, now, true, 0);
            (void) mca_base_event_source_get_by_index(0, &source);
            (void) mca_base_component_event_register(0, "b", "", OPAL_INFO_LVL_1, 1, types,
                offsets, 0, 0, 0, source, 0);
            (void) mca_base_event_get_by_index(0, &event);
            mca_base_event_raise(event, source, &data);
            opal_mutex_lock(&mca_base_event_lock);
        ]])],
        [champion_events=1])
    AS_IF([test $champion_events = 1], [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
    OMPI_CPPFLAGS="$OMPI_CPPFLAGS -DMCA_MQ_OMPI_EVENTS=$champion_events"
])

dnl CHAMPION_OMPI_CUDA
dnl ------------------
dnl Open MPI 4.1 with CUDA has what knows CUDA's driver in a library of its own,
dnl or in libopen-pal if it was built without plug-ins. Champion alone uses it.
AC_DEFUN([CHAMPION_OMPI_CUDA], [
    OMPI_CUDA_LIBS=
    champion_cuda=no
    if test $OMPI_SERIES = 4.1; then
        AC_MSG_CHECKING([whether this Open MPI was built with CUDA])
        AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
                #include "opal_config.h"
                #if !OPAL_CUDA_SUPPORT
                #error "without"
                #endif
            ]])],
            [champion_cuda=yes])
        AC_MSG_RESULT([$champion_cuda])
    fi
    if test $champion_cuda = yes; then
        AC_SEARCH_LIBS([mca_common_cuda_stage_one_init], [mca_common_cuda],
            [AS_CASE([$ac_cv_search_mca_common_cuda_stage_one_init],
                [-l*], [OMPI_CUDA_LIBS=$ac_cv_search_mca_common_cuda_stage_one_init])],
            [AC_MSG_ERROR([$MPICC's Open MPI was built with CUDA, but its library libmca_common_cuda is not there])])
    fi
    AC_SUBST([OMPI_CUDA_LIBS])
])
