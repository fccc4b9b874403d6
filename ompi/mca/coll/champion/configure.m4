dnl Copyright (c) 2026 The champion authors. All rights reserved.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl For Open MPI's configure only (`autogen.pl --graft`).

dnl MCA_ompi_coll_champion_CONFIG([action-if-can-compile],
dnl                               [action-if-cant-compile])
dnl ------------------------------------------------------
AC_DEFUN([MCA_ompi_coll_champion_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/coll/champion/Makefile])
    $1
])
