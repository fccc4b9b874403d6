dnl Copyright (c) 2026 The champion authors. All rights reserved.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl For Open MPI's configure only (`autogen.pl --graft`). The Makefile.am of
dnl the components are those of the plug-in build, where our own configure
dnl gives the same names other values (config/champion_build.m4).

AC_DEFUN([MCA_ompi_mq_CONFIG], [
    AM_CONDITIONAL([MQ_PLUGIN_BUILD], [false])
    AC_SUBST([mq_grafted_headers], [mq_version.h])
    AC_SUBST([mq_plugin_LDFLAGS], [])
    AC_SUBST([mq_plugin_LIBS], ['$(top_builddir)/ompi/lib$(OMPI_LIBMPI_NAME).la'])

    MCA_CONFIGURE_FRAMEWORK($1, $2, 1)
])
