/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Location of the framework's help texts.
 */

#ifndef OMPI_MCA_MQ_BASE_PARAM_HELP_H
#define OMPI_MCA_MQ_BASE_PARAM_HELP_H

#include "ompi_config.h"

BEGIN_C_DECLS

/** Name of the file of help texts. */
#define MCA_MQ_BASE_HELP "help-mca-mq-base.txt"

#if defined(MCA_MQ_PLUGIN_BUILD)
/**
 * Folder of the help texts, relative to the library, so that an installation
 * can be moved; otherwise the one that configure chose. Static text.
 */
OMPI_DECLSPEC const char *mca_mq_base_help_dir(void);
#endif

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_PARAM_HELP_H */
