# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The parts of mq_report:

    main        arguments, files, what is written
      profile     reads what mq_base_profile wrote
      statistics  reads what pml_champion_stats json:FILE wrote
      replay      runs mq_replay for traces, and to know what searching costs
      findings    what all that means, in words
      charts      figures as SVG
      page        puts it together, with the template report.html
    words       numbers with units
    errors      what is said when something is wrong
"""
