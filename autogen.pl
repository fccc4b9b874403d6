#!/usr/bin/env perl
#
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Make ./configure from configure.ac.
#
# As in Open MPI, a component is a directory: what ompi/mca/mq/*/Makefile.am
# and ompi/mca/pml/*/Makefile.am there are decides what configure builds, so
# that a new component needs no change anywhere else. The lists go into
# config/autogen_found.m4.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Find qw(find);

my $usage = <<'END';
usage: ./autogen.pl
Makes ./configure. Needs autoconf 2.69, automake 1.15 and libtool 2.4 or later
(Debian packages autoconf, automake, libtool).
END

if (@ARGV) {
    if ($ARGV[0] eq '-h' || $ARGV[0] eq '--help') {
        print $usage;
        exit 0;
    }
    die "autogen.pl: unknown argument '$ARGV[0]'\n$usage";
}

chdir(dirname(abs_path($0))) or die "autogen.pl: cannot enter the tree: $!\n";

# Program => Debian package that has it.
my %package_of = (
    autoreconf => 'autoconf',
    automake   => 'automake',
    libtoolize => 'libtool',
    m4         => 'm4',
);
my @missing = grep {
    my $program = $_;
    !grep { -x "$_/$program" } split(/:/, $ENV{PATH})
} sort keys %package_of;
if (@missing) {
    die "autogen.pl: not found in PATH: @missing\n"
        . "autogen.pl: the Debian packages that have them: "
        . join(' ', map { $package_of{$_} } @missing) . "\n";
}

# Names of the components of a framework, sorted.
sub components {
    my ($framework) = @_;
    return map { basename(dirname($_)) }
        sort glob("ompi/mca/$framework/*/Makefile.am");
}

# Directories with a Makefile.am of their own, apart from the root. The base of
# a framework is included by the framework's Makefile.am.
my @directories;
find({
    no_chdir => 1,
    wanted   => sub {
        if ($_ =~ m{/Makefile\.am$} && $_ !~ m{/mca/[^/]+/base/}) {
            push(@directories, dirname($_));
        }
    }
}, grep { -d } qw(ompi opal test contrib docs));

my $found = 'config/autogen_found.m4';
open(my $out, '>', "$found.new") or die "autogen.pl: $found.new: $!\n";
print $out "dnl Written by autogen.pl: do not edit.\n";
for my $framework (qw(mq pml)) {
    print $out "m4_define([CHAMPION_${framework}_COMPONENTS], ["
        . join(', ', grep { $_ ne 'base' } components($framework)) . "])\n";
}
print $out "m4_define([CHAMPION_MAKEFILES], ["
    . join(' ', map { "$_/Makefile" } sort @directories) . "])\n";
print $out "m4_define([CHAMPION_TEST_DIRECTORIES], ["
    . join(' ', map { m{^test/([^/]+)$} ? $1 : () } sort @directories) . "])\n";
close($out) or die "autogen.pl: $found.new: $!\n";
rename("$found.new", $found) or die "autogen.pl: $found: $!\n";

my @command = ('autoreconf', '--force', '--install',
               '--warnings=all,no-obsolete');
system(@command) == 0 or die "autogen.pl: '@command' failed\n";
print "autogen.pl: done; next: ./configure && make && make install\n";
