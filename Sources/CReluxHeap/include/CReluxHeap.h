// Why C: jemalloc looks for its settings in a variable with a C name, before anything of the program has run.
#ifndef CRELUXHEAP_H
#define CRELUXHEAP_H

// The settings of the allocator that this target links, in place of glibc's. For executables that carry effects: what one thread of a host allocates
// another one frees, effect by effect, and glibc takes a lock for most of these. Whoever sets MALLOC_CONF in the environment adds to them.
extern const char *malloc_conf;

#endif
