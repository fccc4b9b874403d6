dnl Copyright (c) 2026 The champion authors. All rights reserved.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl For Open MPI's configure only. The last resort is always built in.

AC_DEFUN([MCA_ompi_mq_list_COMPILE_MODE], [
    AC_MSG_CHECKING([for MCA component $2:$3 compile mode])
    $4="static"
    AC_MSG_RESULT([$$4])
])

AC_DEFUN([MCA_ompi_mq_list_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/mq/list/Makefile])
    $1
])
