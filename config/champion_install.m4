dnl Copyright (c) 2026 The champion authors. All rights reserved.
dnl
dnl SPDX-License-Identifier: BSD-3-Clause

dnl CHAMPION_INSTALL_DIRS
dnl ---------------------
dnl Without --prefix everything goes to ~/.openmpi, where Open MPI looks for a
dnl user's own components (~/.openmpi/components). With --prefix everything
dnl stays below it, whatever it is: `make distcheck` relies on that, or it would
dnl overwrite the user's plug-ins and then remove them. --with-component-dir is
dnl for packages: where Open MPI looks for its own components, it finds these,
dnl and nobody needs env.sh or a module file.
AC_DEFUN([CHAMPION_INSTALL_DIRS], [
    # Print the name of a folder without the variables of makefiles in it.
    champion_expand() {
        champion_dir=$[1]
        while :; do
            case $champion_dir in
            *\@S|@*) eval "champion_dir=\"$champion_dir\"" ;;
            *) break ;;
            esac
        done
        echo "$champion_dir"
    }

    if test "$prefix" = NONE; then
        if test -z "$HOME"; then
            AC_MSG_ERROR([HOME is not set: say where to install with --prefix=DIR])
        fi
        champion_home_install=yes
        prefix=$HOME/.openmpi
        ompilibdir='${prefix}/components'
    else
        champion_home_install=no
        ompilibdir='${libdir}/openmpi'
    fi
    AC_ARG_WITH([component-dir],
        [AS_HELP_STRING([--with-component-dir=DIR],
            [install the plug-ins into DIR, for instance where
             `ompi_info --path pkglibdir` says that Open MPI has its own
             @<:@LIBDIR/openmpi@:>@])])
    champion_found_by=env.sh
    test $champion_home_install = no || champion_found_by=home
    AS_CASE([$with_component_dir],
        [''|no], [],
        [/*], [ompilibdir=$with_component_dir champion_found_by=folder],
        [AC_MSG_ERROR([--with-component-dir=$with_component_dir: the full name of a folder is wanted])])
    AC_SUBST([ompilibdir])
    AM_CONDITIONAL([CHAMPION_FOUND_AT_HOME], [test $champion_found_by = home])
    AM_CONDITIONAL([CHAMPION_FOUND_BY_ENV], [test $champion_found_by = env.sh])
    dnl Open MPI's name for the directory of help-*.txt, used by the
    dnl Makefile.am of components in both builds.
    AC_SUBST([ompidatadir], ['${datadir}/champion'])

    dnl From one folder of the installation to another: what is installed
    dnl finds its parts this way, so that the whole can be moved.
    test "$exec_prefix" != NONE || exec_prefix='${prefix}'
    case `champion_expand "$prefix$exec_prefix"` in
    *\ *) AC_MSG_ERROR([--prefix has a blank in it, which libtool cannot install to: $prefix]) ;;
    esac
    CHAMPION_FROM([components_from_bin], [$bindir], [$ompilibdir])
    CHAMPION_FROM([data_from_bin], [$bindir], [$ompidatadir])
    CHAMPION_FROM([components_from_prefix], [$prefix], [$ompilibdir])
    CHAMPION_FROM([bin_from_prefix], [$prefix], [$bindir])
    CHAMPION_FROM([man_from_prefix], [$prefix], [$mandir])
    CHAMPION_FROM([data_from_prefix], [$prefix], [$datadir])
    CHAMPION_FROM([prefix_from_modulefile], [$datadir/modulefiles/champion], [$prefix])
    CHAMPION_FROM([help_from_components], [$ompilibdir], [$ompidatadir])
])

dnl CHAMPION_CHECK_OMPI_INFO
dnl ------------------------
dnl Ours runs Open MPI's, and must not take its place.
AC_DEFUN([CHAMPION_CHECK_OMPI_INFO], [
    champion_transform=`echo "$program_transform_name" | tr -s '$'`
    champion_name=`echo ompi_info | sed -e "$champion_transform"`
    if test "`champion_expand "$bindir"`/$champion_name" = "$OMPI_BINDIR/ompi_info"; then
        AC_MSG_ERROR([the ompi_info of this project would replace Open MPI's; give it another name with --program-transform-name='s/^ompi_info$/champion_info/', or another folder with --bindir])
    fi
])

dnl CHAMPION_FROM(VARIABLE, FOLDER, OTHER-FOLDER)
dnl ---------------------------------------------
dnl Substitute the way from FOLDER to OTHER-FOLDER.
AC_DEFUN([CHAMPION_FROM], [
    champion_from=`champion_expand "$2"`
    champion_to=`champion_expand "$3"`
    $1=`realpath -m -s --relative-to="$champion_from" "$champion_to"` ||
        AC_MSG_ERROR([realpath of the GNU coreutils is needed])
    AC_SUBST([$1])
])
