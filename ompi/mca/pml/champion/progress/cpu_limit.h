/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many CPUs the processes of this job on this node may use: the cores, and
 * a limit on the CPU time of the control group (container, batch job).
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_CPU_LIMIT_H
#define MCA_PML_CHAMPION_PROGRESS_CPU_LIMIT_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/** The smallest limit of this process's control group and those above it, in
 * thousandths of a CPU; 0: there is none, or it cannot be read.
 *
 * @param[in] membership  "/proc/self/cgroup"
 * @param[in] root        "/sys/fs/cgroup", where versions 1 and 2 are looked
 *                        for: cpu.max; cpu.cfs_quota_us and cpu.cfs_period_us
 *                        below cpu/ or cpu,cpuacct/
 */
unsigned long mca_pml_champion_cpu_limit(const char *membership,
                                         const char *root);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PROGRESS_CPU_LIMIT_H */
