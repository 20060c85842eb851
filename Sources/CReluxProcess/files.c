// See CReluxProcess.h.
#define _GNU_SOURCE
#include "CReluxProcess.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

int relux_exchange_paths(const char *left, const char *right) { return renameat2(AT_FDCWD, left, AT_FDCWD, right, RENAME_EXCHANGE); }

int relux_punch_hole(int descriptor, int64_t offset, int64_t count) {
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)count);
}

int relux_file_find(int descriptor, const char *path, struct relux_file *file) {
    struct statx found;
    if (statx(path ? AT_FDCWD : descriptor, path ? path : "", path ? 0 : AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_BTIME, &found) != 0) return -1;
    file->device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
    file->number = found.stx_ino;
    // A folder of an image's lower layer is born again when it is written to first.
    int is_known = found.stx_mask & STATX_BTIME && !S_ISDIR(found.stx_mode);
    file->birth = is_known ? (int64_t)found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec : 0;
    return 0;
}
