// The functions that a Swift program needs to run under valgrind 3.19: preloaded by count.py.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The main thread of an async main waits in sigsuspend for ever. valgrind writes into its mask, which lies in constant memory.
int sigsuspend(const sigset_t *mask) {
    (void)mask;
    for (;;) pause();
    return -1;
}

// The benchmark starts itself as its second process; under valgrind /proc/self/exe is valgrind's.
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                char *const argv[], char *const envp[]) {
    static int (*next)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "posix_spawn");
    const char *program = getenv("RELUX_COUNT_PROGRAM");
    if (program && !strcmp(path, "/proc/self/exe")) path = program;
    return next(pid, path, actions, attributes, argv, envp);
}
