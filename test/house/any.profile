mq-profile 1
# SPDX-License-Identifier: BSD-3-Clause
# Written by hand, for all programs of test/mpi: some ranks have more entries
# than others, so that there are partners and clusters.
job *
rank *
domain * *
peer 0 100 1000 10 100 1000
peer 1 3 2 1 1 10
peer 2 200 0 20 0 100
end
