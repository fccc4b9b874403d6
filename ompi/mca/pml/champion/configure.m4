dnl Copyright (c) 2026 The champion authors. All rights reserved.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl For Open MPI's configure only (`autogen.pl --graft`).

AC_DEFUN([MCA_ompi_pml_champion_POST_CONFIG], [
    AS_IF([test "$1" = "1"], [OMPI_REQUIRE_ENDPOINT_TAG([PML])])
])

dnl MCA_ompi_pml_champion_CONFIG([action-if-can-compile],
dnl                              [action-if-cant-compile])
dnl -----------------------------------------------------
AC_DEFUN([MCA_ompi_pml_champion_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/pml/champion/Makefile])
    OPAL_VAR_SCOPE_PUSH([pml_champion_happy pml_champion_CPPFLAGS_save])

    OMPI_CHECK_UCX([pml_champion],
                   [pml_champion_happy=yes],
                   [pml_champion_happy=no])

    AS_IF([test "$pml_champion_happy" = yes],
          [AC_MSG_CHECKING([whether UCX is 1.13 or later])
           pml_champion_CPPFLAGS_save=$CPPFLAGS
           CPPFLAGS="$CPPFLAGS $pml_champion_CPPFLAGS"
           AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
#include <ucp/api/ucp_version.h>
#if UCP_API_VERSION < UCP_VERSION(1, 13)
#error "too old"
#endif
                              ]])],
                             [],
                             [pml_champion_happy=no])
           CPPFLAGS=$pml_champion_CPPFLAGS_save
           AC_MSG_RESULT([$pml_champion_happy])])

    dnl Open MPI 4.1 with CUDA has what knows its driver in a library of its own.
    dnl Only plug-ins name it: what is part of libmpi finds it there.
    pml_champion_cuda_LIBS=
    AS_IF([test "$CUDA_SUPPORT" = 1 && test -f "$srcdir/opal/mca/common/cuda/common_cuda.c"],
          [pml_champion_cuda_LIBS="\$(top_builddir)/opal/mca/common/cuda/lib${OPAL_LIB_PREFIX}mca_common_cuda.la"])

    AS_IF([test "$pml_champion_happy" = yes], [$1], [$2])

    AC_SUBST([pml_champion_CPPFLAGS])
    AC_SUBST([pml_champion_LDFLAGS])
    AC_SUBST([pml_champion_LIBS])
    AC_SUBST([pml_champion_cuda_LIBS])
    OPAL_VAR_SCOPE_POP
])
