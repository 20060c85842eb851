#include "CReluxHeap.h"

// For jemalloc 5.3 and later. One arena, and small caches for each thread: with the defaults an idle host takes 2 MB more, and is no faster with effects of 128
// bytes (2026-11-28). `retain:false` unmaps what is free: the supervisor's limit of a host's memory counts what is mapped.
const char *malloc_conf = "narenas:1,retain:false,tcache_nslots_small_max:40,tcache_max:8192";
