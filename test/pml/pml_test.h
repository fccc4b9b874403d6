/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * cmocka, and the headers that it wants before it.
 */

#ifndef TEST_PML_TEST_H
#define TEST_PML_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#undef stop /* a function of the product has this name */

#endif /* TEST_PML_TEST_H */
