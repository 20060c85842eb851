// See CReluxProcess.h.
#define _GNU_SOURCE
#include "CReluxProcess.h"

#include <fcntl.h>
#include <sys/stat.h>

int relux_punch_hole(int descriptor, int64_t offset, int64_t count) {
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)count);
}

int64_t relux_file_born(int descriptor) {
    struct statx found;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &found) != 0 || !(found.stx_mask & STATX_BTIME)) return 0;
    return (int64_t)found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec;
}
