dnl Copyright (c) 2026 The champion authors. All rights reserved.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause

dnl CHAMPION_MISSING(WHAT, DEBIAN-PACKAGE)
dnl --------------------------------------
dnl Note (in shell code) that WHAT is missing and which package has it.
AC_DEFUN([CHAMPION_MISSING], [dnl
    champion_missing="$champion_missing
  * $1
    (Debian package: $2)"
    champion_packages="$champion_packages $2"])

dnl CHAMPION_REPORT_MISSING
dnl -----------------------
dnl Stop if anything was noted, with the whole list.
AC_DEFUN([CHAMPION_REPORT_MISSING], [
    if test -n "$champion_missing"; then
        champion_packages=`for p in $champion_packages; do echo $p; done |
                           sort -u | tr '\n' ' '`
        AC_MSG_ERROR([what is missing to build champion:$champion_missing
On Debian:  apt-get install $champion_packages])
    fi
])

dnl CHAMPION_CHECK_TOOLS
dnl --------------------
AC_DEFUN([CHAMPION_CHECK_TOOLS], [
    champion_missing=
    champion_packages=
    AC_CHECK_PROGS([champion_cc], [${CC-gcc} gcc cc clang])
    if test -z "$champion_cc"; then
        CHAMPION_MISSING([a C compiler], [gcc libc6-dev])
    fi
    AC_CHECK_PROGS([champion_make], [${MAKE-make} make gmake])
    if test -z "$champion_make"; then
        CHAMPION_MISSING([make], [make])
    fi
    AC_ARG_VAR([PKG_CONFIG], [pkg-config])
    AC_PATH_PROG([PKG_CONFIG], [pkg-config])
    if test -z "$PKG_CONFIG"; then
        CHAMPION_MISSING([pkg-config], [pkg-config])
    fi
])

dnl CHAMPION_PKG(VARIABLE-PREFIX, MODULE, MINIMUM, FOUND, NOT-FOUND)
dnl ----------------------------------------------------------------
dnl What PKG_CHECK_MODULES does, without pkg.m4, which autogen.pl would
dnl otherwise need, and with headers as system headers: their warnings are not
dnl ours.
AC_DEFUN([CHAMPION_PKG], [
    AC_ARG_VAR([$1_CFLAGS], [compiler flags for $2, overriding pkg-config])
    AC_ARG_VAR([$1_LIBS], [linker flags for $2, overriding pkg-config])
    AC_MSG_CHECKING([for $2]m4_ifval([$3], [ >= $3]))
    if test -n "$[$1]_CFLAGS$[$1]_LIBS"; then
        AC_MSG_RESULT([as given: $[$1]_CFLAGS $[$1]_LIBS])
        $4
    elif test -n "$PKG_CONFIG" && $PKG_CONFIG --exists "$2 m4_ifval([$3], [>= $3])" 2>/dev/null; then
        $1_CFLAGS=`$PKG_CONFIG --cflags $2 | sed 's/-I/-isystem /g'`
        $1_LIBS=`$PKG_CONFIG --libs $2`
        champion_version=`$PKG_CONFIG --modversion $2`
        AC_MSG_RESULT([$champion_version])
        $4
    else
        AC_MSG_RESULT([no])
        $5
    fi
])
