#ifndef CHEAP_H
#define CHEAP_H

#include <stddef.h>

// Bytes that are allocated and not freed, in all arenas; <malloc.h> is not in Swift's Glibc module.
size_t heap_bytes(void);

#endif
