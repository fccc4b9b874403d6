#!/usr/bin/env perl
#
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Make ./configure from configure.ac, or with --graft put the framework, its
# components and champion into the source tree of an Open MPI.
#
# As in Open MPI, a component is a directory: what ompi/mca/mq/*/Makefile.am
# and ompi/mca/{pml,coll}/*/Makefile.am there are decides what configure builds, so
# that a new component needs no change anywhere else. The lists go into
# config/autogen_found.m4.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Copy qw(copy);
use File::Find qw(find);
use File::Path qw(make_path);

# Around what --graft adds to a file of Open MPI's.
use constant MARK_BEGIN => '# Grafted by autogen.pl of champion: begin';
use constant MARK_END   => '# Grafted by autogen.pl of champion: end';

my $usage = <<'END';
usage: ./autogen.pl
       ./autogen.pl --graft DIR
Makes ./configure. Needs autoconf 2.69, automake 1.15 and libtool 2.4 or later
(Debian packages autoconf, automake, libtool).
  --graft DIR  copy the ompi/ and opal/ parts into DIR, the source tree of Open
               MPI 4.1 or 5.0, whose own autogen.pl, configure and make then
               build them; an earlier copy is replaced
END

sub bad_usage {
    my ($what) = @_;
    die "autogen.pl: $what\n$usage";
}

my $graft;
if (@ARGV) {
    my $argument = shift(@ARGV);
    if (grep { $_ eq '-h' || $_ eq '--help' } $argument, @ARGV) {
        print $usage;
        exit 0;
    }
    bad_usage("unknown argument '$argument'") if $argument ne '--graft';
    bad_usage('--graft needs one folder') if @ARGV != 1 || $ARGV[0] eq '';
    # Its name is good in the folder where it was given.
    $graft = $ARGV[0];
    die "autogen.pl: there is no folder '$graft'\n" if !-d $graft;
    $graft = abs_path($graft);
}

chdir(dirname(abs_path($0))) or die "autogen.pl: cannot enter the tree: $!\n";

if (defined($graft)) {
    graft($graft);
    exit 0;
}

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
for my $framework (qw(mq pml coll)) {
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

#
# The rest is --graft.
#

sub slurp {
    my ($file) = @_;
    open(my $in, '<:raw', $file) or die "autogen.pl: $file: $!\n";
    local $/;
    my $text = <$in>;
    close($in);
    return $text;
}

# Under another name first, so that what is interrupted spoils nothing.
sub spew {
    my ($file, $text) = @_;
    open(my $file_new, '>:raw', "$file.new")
        or die "autogen.pl: $file.new: $!\n";
    print $file_new $text;
    close($file_new) or die "autogen.pl: $file.new: $!\n";
    rename("$file.new", $file) or die "autogen.pl: $file: $!\n";
}

# The lines NAME=VALUE of a file of the shape of Open MPI's VERSION.
sub version_values {
    my ($file) = @_;
    return slurp($file) =~ /^(\w+)=(\S*)[ \t]*$/mg;
}

# "4.1.4", if the folder has all that a graft touches or relies on.
sub open_mpi_version {
    my ($dir) = @_;
    my @needed = qw(VERSION autogen.pl configure.ac config/opal_mca.m4
                    config/ompi_check_ucx.m4 ompi/mca/pml/pml.h
                    opal/class/Makefile.am);
    my @lacks = grep { !-f "$dir/$_" } @needed;
    if (@lacks) {
        die "autogen.pl: $dir is not the source tree of an Open MPI:\n"
            . "autogen.pl: it does not have @lacks\n";
    }
    my %part = version_values("$dir/VERSION");
    if (grep { ($part{$_} // '') !~ /^\d+$/ } qw(major minor release)) {
        die "autogen.pl: $dir/VERSION does not say major=, minor= and"
            . " release=\n";
    }
    return "$part{major}.$part{minor}.$part{release}";
}

# OPAL's containers are listed in a file of Open MPI's, which gets ours between
# two marks. The name of the list differs between series.
sub graft_opal_list {
    my ($dir, @names) = @_;
    my $file = "$dir/opal/class/Makefile.am";
    my $old  = slurp($file);
    my $text = $old;
    my ($begin, $end) = (MARK_BEGIN, MARK_END);
    $text =~ s/\n\Q$begin\E\n.*?\n\Q$end\E\n//s;
    my ($list) = $text =~ /^(\S+_la_SOURCES) \+=/m
        or die "autogen.pl: $file has no list of sources\n";
    my %kind = ('headers' => '\.h$', $list => '\.c$');
    $text .= "\n$begin\n";
    for my $variable (sort { $a cmp $b } keys(%kind)) {
        $text .= join(" \\\n", "$variable +=",
                      map { "\tclass/$_" } grep { /$kind{$variable}/ } @names)
            . "\n";
    }
    $text .= "$end\n";
    spew($file, $text) if $text ne $old;
    return $text ne $old;
}

# What configure makes of its template among the plug-ins.
sub graft_release {
    my ($dir)  = @_;
    my $header = 'ompi/mca/mq/mq_version.h';
    my %value  = version_values('VERSION');
    my %of     = map { ("RELEASE_\U$_" => $value{$_}) } keys(%value);
    $of{PACKAGE_VERSION} = "$value{major}.$value{minor}.$value{release}"
        . $value{greek};
    my $text = slurp("$header.in");
    $text =~ s/@(\w+)@/$of{$1}/g;
    return 0 if -f "$dir/$header" && slurp("$dir/$header") eq $text;
    spew("$dir/$header", $text);
    return 1;
}

# The files of a folder and those below it that are sources, without what a
# build has made there.
sub sources_below {
    my ($dir) = @_;
    my @files;
    return @files if !-d $dir;
    find({
        no_chdir => 1,
        wanted   => sub {
            if (-f $_ && m{(?:\.[ch]|\.inc|\.m4|\.txt|/Makefile\.am)$} &&
                !m{/(?:static-components|mq_version)\.h$}) {
                push(@files, $_);
            }
        }
    }, $dir);
    return sort(@files);
}

sub graft {
    my ($dir) = @_;
    my $version = open_mpi_version($dir);
    if ($version !~ /^(?:4\.1|5\.0)\./) {
        die "autogen.pl: $dir is Open MPI $version;"
            . " --graft supports the series 4.1 and 5.0\n";
    }

    my @folders    = qw(ompi/mca/mq ompi/mca/pml/champion
                        ompi/mca/coll/champion);
    my @containers = grep { m{\.[ch]$} } sources_below('opal/class');
    my $is_again   = index(slurp("$dir/opal/class/Makefile.am"), MARK_BEGIN)
        >= 0;
    for my $path (@folders, @containers) {
        if (-e "$dir/$path" && !$is_again) {
            die "autogen.pl: $dir has a $path that is not from here\n";
        }
    }

    my $changed =
        graft_opal_list($dir, map { basename($_) } @containers) ? 1 : 0;
    my @sources = map { sources_below($_) } @folders;
    my %is_ours = map { $_ => 1 } @sources;
    for my $file (@sources, @containers) {
        next if -f "$dir/$file" && slurp("$dir/$file") eq slurp($file);
        make_path(dirname("$dir/$file"));
        copy($file, "$dir/$file")
            or die "autogen.pl: cannot write $dir/$file: $!\n";
        $changed++;
    }
    $changed += graft_release($dir);
    # What is ours no longer.
    for my $file (map { sources_below("$dir/$_") } @folders) {
        next if $is_ours{ substr($file, length("$dir/")) };
        unlink($file) or die "autogen.pl: cannot remove $file: $!\n";
        $changed++;
    }

    print 'autogen.pl: ' . (@sources + @containers + 1)
        . " files are in $dir (Open MPI $version), $changed changes\n"
        . "autogen.pl: next, there: ./autogen.pl --force && ./configure"
        . " --with-ucx && make && make install\n";
}
