/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands in for a header of Open MPI that its installed ompi/op/op.h includes
 * and distributions do not install. It is found only where the installation has
 * none of its own (-idirafter). Of what that header converts op.h uses one
 * thing, in the branch for the user's operations in Fortran, which no component
 * here calls.
 */

#ifndef CHAMPION_FINT_2_INT_H
#define CHAMPION_FINT_2_INT_H

#define OMPI_INT_2_FINT(number) ((MPI_Fint) (number))

#endif /* CHAMPION_FINT_2_INT_H */
