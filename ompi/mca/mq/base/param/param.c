/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Strict parsing of parameters. The MCA converts every text by the variable's
 * enumerator, wherever the text comes from; so ours are enumerators, for ranges
 * as well as for words.
 */

#include "ompi_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/mca/base/mca_base_var_enum.h"
#include "opal/util/show_help.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/base/param/parse.h"
#include "ompi/mca/mq/base/param/help.h"
#include "ompi/mca/mq/mq_ompi_compat.h"

/* Enumerator of a range, or of words if super.enum_values is set. */
typedef struct mq_checked_t {
    mca_base_var_enum_t super; /* its name is the parameter's */
    const mca_base_component_t *component;
    unsigned min;
    unsigned max;
    int fallback; /* used instead of a value that is not allowed */
} mq_checked_t;

static void checked_construct(mq_checked_t *checked);

/* A parameter that may have its own value for one domain: a checked one, or a
 * real number. */
typedef struct mq_known_t {
    const mca_base_component_t *component;
    char *name;
    mq_checked_t *checked; /* or NULL */
    double min, max;       /* range of a real number */
    void *storage;         /* unsigned, int or mca_mq_base_real_t */
} mq_known_t;

/* The MCA's storage for the text of a size. Never freed, because the MCA frees
 * the text with the variable, perhaps after the framework was closed. */
typedef struct mq_size_t {
    struct mq_size_t *next;
    const size_t *storage; /* the value with this text */
    char *text;
} mq_size_t;

static mq_size_t *sizes;

static mq_known_t *known;
static size_t num_known;

unsigned mca_mq_base_param_invalid;

static OBJ_CLASS_INSTANCE(mq_checked_t, mca_base_var_enum_t, checked_construct,
                          NULL);

bool mca_mq_base_param_is_set(const mca_base_component_t *component,
                              const char *name)
{
    int index =
        mca_base_var_find(component->mca_project_name, component->mca_type_name,
                          component->mca_component_name, name);
    const mca_base_var_t *var;

    return 0 <= index && OPAL_SUCCESS == mca_base_var_get(index, &var) &&
           MCA_BASE_VAR_SOURCE_DEFAULT != var->mbv_source;
}

void mca_mq_base_param_complain(const char *full_name, const char *value,
                                const char *allowed)
{
    ++mca_mq_base_param_invalid;
    opal_show_help(MCA_MQ_BASE_HELP, "invalid-value", true, full_name, value,
                   allowed);
}

/* Report a value of mq_<component>_<name>. */
static void complain(const mca_base_component_t *component, const char *name,
                     const char *text, const char *allowed)
{
    char full_name[128];

    snprintf(full_name, sizeof(full_name), "%s_%s_%s", component->mca_type_name,
             component->mca_component_name, name);
    mca_mq_base_param_complain(full_name, NULL == text ? "" : text, allowed);
}

static bool is_range(const mq_checked_t *checked)
{
    return NULL == checked->super.enum_values;
}

static bool checked_parse(const mq_checked_t *checked, const char *text,
                          int *value)
{
    const mca_base_var_enum_t *words = &checked->super;

    if (is_range(checked)) {
        return mca_mq_base_parse_uint(text, checked->min, checked->max, value);
    }
    for (int i = 0; i < words->enum_value_count; ++i) {
        if (0 == strcmp(text, words->enum_values[i].string)) {
            *value = words->enum_values[i].value;
            return true;
        }
    }
    return false;
}

static int range_dump(const mq_checked_t *checked, char **out)
{
    return 0 > asprintf(out, "%u to %u", checked->min, checked->max)
               ? OPAL_ERR_OUT_OF_RESOURCE
               : OPAL_SUCCESS;
}

static int words_dump(const mca_base_var_enum_t *words, char **out)
{
    char *text = strdup(""), *longer;

    for (int i = 0; NULL != text && i < words->enum_value_count; ++i) {
        if (0 > asprintf(&longer, "%s%s%s", text, 0 == i ? "" : ", ",
                         words->enum_values[i].string)) {
            longer = NULL;
        }
        free(text);
        text = longer;
    }
    *out = text;
    return NULL == text ? OPAL_ERR_OUT_OF_RESOURCE : OPAL_SUCCESS;
}

static int allowed_dump(const mq_checked_t *checked, char **out)
{
    return is_range(checked) ? range_dump(checked, out)
                             : words_dump(&checked->super, out);
}

static MCA_MQ_OMPI_ENUM_DUMP(checked_dump, self, out)
{
    return allowed_dump((const mq_checked_t *) self, out);
}

static void checked_complain(const mq_checked_t *checked, const char *text)
{
    char *allowed = NULL;

    (void) allowed_dump(checked, &allowed);
    complain(checked->component, checked->super.enum_name, text,
             NULL == allowed ? "" : allowed);
    free(allowed);
}

/* Accepts every text for the MCA; bad ones are reported and counted here. */
static int checked_from_string(mca_base_var_enum_t *self, const char *text,
                               int *value)
{
    const mq_checked_t *checked = (const mq_checked_t *) self;

    if (!checked_parse(checked, text, value)) {
        checked_complain(checked, text);
        *value = checked->fallback;
    }
    return OPAL_SUCCESS;
}

static int checked_to_string(mca_base_var_enum_t *self, const int value,
                             char **text)
{
    const char *word = NULL;
    int ret;

    for (int i = 0; i < self->enum_value_count; ++i) {
        if (value == self->enum_values[i].value) {
            word = self->enum_values[i].string;
        }
    }
    if (NULL == text) {
        return OPAL_SUCCESS;
    }
    ret = NULL != word ? asprintf(text, "%s", word)
                       : asprintf(text, "%u", (unsigned) value);
    return 0 > ret ? OPAL_ERR_OUT_OF_RESOURCE : OPAL_SUCCESS;
}

static void checked_construct(mq_checked_t *checked)
{
    checked->super.value_from_string = checked_from_string;
    checked->super.string_from_value = checked_to_string;
    checked->super.dump = checked_dump;
}

/* Record where the value of a parameter is stored; without memory, it cannot be
 * set for one domain. */
static void remember(const mca_base_component_t *component, const char *name,
                     mq_checked_t *checked, double min, double max,
                     void *storage)
{
    mq_known_t *longer = realloc(known, (num_known + 1) * sizeof(*known));
    char *copy = strdup(name);

    if (NULL != longer) {
        known = longer;
    }
    if (NULL == longer || NULL == copy) {
        free(copy);
        return;
    }
    if (NULL != checked) {
        OBJ_RETAIN(checked);
    }
    known[num_known++] = (mq_known_t){
        .component = component,
        .name = copy,
        .checked = checked,
        .min = min,
        .max = max,
        .storage = storage,
    };
}

void mca_mq_base_param_forget(void)
{
    for (size_t i = 0; i < num_known; ++i) {
        free(known[i].name);
        if (NULL != known[i].checked) {
            OBJ_RELEASE(known[i].checked);
        }
    }
    free(known);
    known = NULL;
    num_known = 0;
}

static mq_known_t *known_find(const mca_base_component_t *component,
                              const char *name)
{
    for (size_t i = 0; i < num_known; ++i) {
        if (known[i].component == component &&
            0 == strcmp(known[i].name, name)) {
            return &known[i];
        }
    }
    return NULL;
}

int mca_mq_base_param_parse(const mca_base_component_t *component,
                            const char *name, const char *text,
                            mca_mq_base_value_t *value)
{
    const mq_known_t *param = known_find(component, name);
    bool good;

    if (NULL == param) {
        return OMPI_ERR_NOT_FOUND;
    }
    value->storage = param->storage;
    value->is_real = NULL == param->checked;
    good = value->is_real
               ? mca_mq_base_parse_real(text, param->min, param->max,
                                        &value->value.real)
               : checked_parse(param->checked, text, &value->value.integer);
    return good ? OMPI_SUCCESS : OMPI_ERR_BAD_PARAM;
}

void mca_mq_base_param_swap(mca_mq_base_value_t *value)
{
    mca_mq_base_value_t before = *value;

    if (value->is_real) {
        mca_mq_base_real_t *real = value->storage;

        before.value.real = real->value;
        real->value = value->value.real;
    } else {
        int *integer = value->storage;

        before.value.integer = *integer;
        *integer = value->value.integer;
    }
    *value = before;
}

/* An enumerator without values for a parameter. */
static mq_checked_t *checked_new(const mca_base_component_t *component,
                                 const char *name, int fallback)
{
    mq_checked_t *checked = OBJ_NEW(mq_checked_t);

    if (NULL == checked) {
        return NULL;
    }
    checked->component = component;
    checked->fallback = fallback;
    checked->super.enum_name = strdup(name);
    if (NULL == checked->super.enum_name) {
        OBJ_RELEASE(checked);
        return NULL;
    }
    return checked;
}

static bool checked_set_words(mq_checked_t *checked,
                              const mca_base_var_enum_value_t *values)
{
    mca_base_var_enum_t *words = &checked->super;
    int count = 0;

    while (NULL != values[count].string) {
        ++count;
    }
    words->enum_values = calloc(count + 1, sizeof(*words->enum_values));
    if (NULL == words->enum_values) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        words->enum_values[i].value = values[i].value;
        words->enum_values[i].string = strdup(values[i].string);
        if (NULL == words->enum_values[i].string) {
            return false;
        }
        words->enum_value_count = i + 1;
    }
    return true;
}

static int register_var(const mca_base_component_t *component, const char *name,
                        const char *description, mca_base_var_info_lvl_t level,
                        mca_base_var_type_t type, bool settable,
                        mca_base_var_enum_t *enumerator, void *storage)
{
    int index = mca_base_component_var_register(
        component, name, description, type, enumerator, 0,
        settable ? MCA_BASE_VAR_FLAG_SETTABLE : 0, level,
        settable ? MCA_BASE_VAR_SCOPE_LOCAL : MCA_BASE_VAR_SCOPE_READONLY,
        storage);

    return 0 > index ? index : OMPI_SUCCESS;
}

/* Register with an enumerator, and release that. */
static int register_checked(const mca_base_component_t *component,
                            const char *name, const char *description,
                            mca_base_var_info_lvl_t level,
                            mca_base_var_type_t type, bool settable,
                            mq_checked_t *checked, int *storage)
{
    unsigned before = mca_mq_base_param_invalid;
    int ret = register_var(component, name, description, level, type, settable,
                           &checked->super, storage);

    /* The MCA makes 0 of an empty text without asking the enumerator. */
    if (0 == *storage && (!is_range(checked) || 0 < checked->min)) {
        checked_complain(checked, "");
        *storage = checked->fallback;
    }
    remember(component, name, checked, 0.0, 0.0, storage);
    OBJ_RELEASE(checked);
    if (OMPI_SUCCESS == ret && before != mca_mq_base_param_invalid) {
        ret = OMPI_ERR_BAD_PARAM;
    }
    return ret;
}

int mca_mq_base_param_uint(const mca_base_component_t *component,
                           const char *name, const char *description,
                           mca_base_var_info_lvl_t level, unsigned min,
                           unsigned max, unsigned *storage)
{
    mq_checked_t *checked = checked_new(component, name, (int) *storage);

    if (NULL == checked) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    checked->min = min;
    checked->max = max;
    return register_checked(component, name, description, level,
                            MCA_BASE_VAR_TYPE_UNSIGNED_INT, false, checked,
                            (int *) storage);
}

static int register_words(const mca_base_component_t *component,
                          const char *name, const char *description,
                          mca_base_var_info_lvl_t level, bool settable,
                          const mca_base_var_enum_value_t *values, int *storage)
{
    mq_checked_t *checked = checked_new(component, name, *storage);

    if (NULL == checked) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (!checked_set_words(checked, values)) {
        OBJ_RELEASE(checked);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return register_checked(component, name, description, level,
                            MCA_BASE_VAR_TYPE_INT, settable, checked, storage);
}

int mca_mq_base_param_enum(const mca_base_component_t *component,
                           const char *name, const char *description,
                           mca_base_var_info_lvl_t level,
                           const mca_base_var_enum_value_t *values,
                           int *storage)
{
    return register_words(component, name, description, level, false, values,
                          storage);
}

int mca_mq_base_param_settable(const mca_base_component_t *component,
                               const char *name, const char *description,
                               mca_base_var_info_lvl_t level,
                               const mca_base_var_enum_value_t *values,
                               int *storage)
{
    return register_words(component, name, description, level, true, values,
                          storage);
}

int mca_mq_base_param_string(const mca_base_component_t *component,
                             const char *name, const char *description,
                             mca_base_var_info_lvl_t level, char **storage)
{
    return register_var(component, name, description, level,
                        MCA_BASE_VAR_TYPE_STRING, false, NULL, storage);
}

/* Register a text whose description ends with what is allowed. */
static int register_text(const mca_base_component_t *component,
                         const char *name, const char *description,
                         mca_base_var_info_lvl_t level, const char *allowed,
                         const char *fallback, char **storage)
{
    int ret = OMPI_ERR_OUT_OF_RESOURCE;
    char *longer;

    if (0 <= asprintf(&longer, "%s (%s)", description, allowed)) {
        /* The MCA copies the default. */
        *storage = (char *) (uintptr_t) fallback;
        ret = mca_mq_base_param_string(component, name, longer, level, storage);
        free(longer);
    }
    if (OMPI_SUCCESS != ret) {
        *storage = NULL;
    }
    return ret;
}

int mca_mq_base_param_real(const mca_base_component_t *component,
                           const char *name, const char *description,
                           mca_base_var_info_lvl_t level, double min,
                           double max, mca_mq_base_real_t *storage)
{
    char fallback[32], allowed[64];
    double value;
    int ret;

    snprintf(fallback, sizeof(fallback), "%g", storage->value);
    snprintf(allowed, sizeof(allowed), "a number, %.10g to %.10g", min, max);
    ret = register_text(component, name, description, level, allowed, fallback,
                        &storage->text);
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    remember(component, name, NULL, min, max, storage);
    if (!mca_mq_base_parse_real(storage->text, min, max, &value)) {
        complain(component, name, storage->text, allowed);
        return OMPI_ERR_BAD_PARAM;
    }
    storage->value = value;
    return OMPI_SUCCESS;
}

/* Storage for the text of a size, found again when it is registered again. */
static char **text_of(const size_t *storage)
{
    mq_size_t *size = sizes;

    while (NULL != size && size->storage != storage) {
        size = size->next;
    }
    if (NULL == size) {
        size = malloc(sizeof(*size));
        if (NULL == size) {
            return NULL;
        }
        *size = (mq_size_t){.next = sizes, .storage = storage};
        sizes = size;
    }
    return &size->text;
}

int mca_mq_base_param_size(const mca_base_component_t *component,
                           const char *name, const char *description,
                           mca_base_var_info_lvl_t level, size_t min,
                           size_t max, bool automatic, size_t *storage)
{
    char from[32], to[32], fallback[32], allowed[192];
    char **text = text_of(storage);
    size_t value, length;
    int ret;

    snprintf(allowed, sizeof(allowed), "a size, %s to %s%s",
             mca_mq_base_size_text(min, from, sizeof(from)),
             mca_mq_base_size_text(max, to, sizeof(to)),
             automatic ? ", or auto" : "");
    if (NULL == text) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ret = register_text(
        component, name, description, level, allowed,
        mca_mq_base_size_text(*storage, fallback, sizeof(fallback)), text);
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    if (!mca_mq_base_parse_size(NULL == *text ? "" : *text, min, max, automatic,
                                &value)) {
        length = strlen(allowed);
        snprintf(allowed + length, sizeof(allowed) - length,
                 "; in bytes, or with a unit: K, M, G, T (64K is 65536)");
        complain(component, name, *text, allowed);
        return OMPI_ERR_BAD_PARAM;
    }
    *storage = value;
    return OMPI_SUCCESS;
}
