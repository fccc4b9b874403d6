/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What each unit test of the PML includes.
 */

#ifndef TEST_PML_TEST_H
#define TEST_PML_TEST_H

#include "test/lib/unit.h"

#undef stop /* a function of the product has this name */

#endif /* TEST_PML_TEST_H */
