/* Objects that hold attributes: pthread_attr_t, pthread_mutexattr_t and their like.
 *
 * Their values are in the ghost record, like the state of a mutex. But they synchronise nothing: every function reads or writes
 * the object as a plain one, so that use by two threads at a time is a data race, and use after its life an invalid
 * access. The first byte stands for all of it. Word 2 of the record is 1 while the object is initialised; a copy of it is not,
 * since a copy does not take the record along, and its use is unmodelled.
 */
#ifndef HEDDLE_ATTRIBUTES_H
#define HEDDLE_ATTRIBUTES_H

#include "heddle.h"

ALWAYS int *attributes_state(const void *attributes) { return (int *)__heddle_ghost(attributes) + 2; }

/* The record of attributes that are looked at. */
ALWAYS void *attributes_read(const void *attributes) {
    (void)*(const volatile char *)attributes;
    if (!cell_get(attributes_state(attributes))) __heddle_unmodelled("attributes that are not initialised, or copied");
    return __heddle_ghost(attributes);
}

/* The record of attributes that are changed. */
ALWAYS void *attributes_write(void *attributes) {
    if (!cell_get(attributes_state(attributes))) __heddle_unmodelled("attributes that are not initialised, or copied");
    *(volatile char *)attributes = 0;
    return __heddle_ghost(attributes);
}

ALWAYS void *attributes_init(void *attributes) {
    *(volatile char *)attributes = 0;
    cell_put(attributes_state(attributes), 1);
    return __heddle_ghost(attributes);
}

ALWAYS int attributes_destroy(void *attributes) {
    attributes_write(attributes);
    cell_put(attributes_state(attributes), 0);
    return 0;
}

/* Sets the cell at an offset of the record to 0 or 1. */
ALWAYS int set_flag(void *attributes, size_t offset, int value) {
    if (value != 0 && value != 1) return EINVAL;
    cell_put((int *)((char *)attributes_write(attributes) + offset), value);
    return 0;
}

#endif
