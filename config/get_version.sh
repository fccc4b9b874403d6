#!/bin/sh
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Print the version number that the given VERSION file states, or the value of
# one of its lines; no newline.

value() {
    sed -n "s/^$1=//p" "$file"
}

file=${1:?usage: get_version.sh VERSION-FILE [NAME]}
if [ $# -gt 1 ]; then
    printf '%s' "$(value "$2")"
else
    printf '%s.%s.%s%s' "$(value major)" "$(value minor)" \
        "$(value release)" "$(value greek)"
fi
