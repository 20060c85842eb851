#define _GNU_SOURCE
#include "CReluxProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { lifeline_in_child = 3 };

int relux_process_spawn(
    const char *executable, char *const arguments[], char *const environment[], int output, int lifeline, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, defaulted;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  failure = posix_spawnattr_init(&attributes);
  if (failure) {
    posix_spawn_file_actions_destroy(&actions);
    return failure;
  }
  sigemptyset(&none);
  sigemptyset(&defaulted);
  const int reset[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
  for (size_t i = 0; i < sizeof reset / sizeof *reset; i++) sigaddset(&defaulted, reset[i]);

  // Outputs first: either source may have a number that a later step overwrites, so callers keep both above 3.
  if (!failure) failure = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, output, 2);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, lifeline, lifeline_in_child);
  if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(&actions, lifeline_in_child + 1);
  if (!failure) failure = posix_spawnattr_setpgroup(&attributes, 0);
  if (!failure) failure = posix_spawnattr_setsigmask(&attributes, &none);
  if (!failure) failure = posix_spawnattr_setsigdefault(&attributes, &defaulted);
  if (!failure)
    failure = posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!failure) failure = posix_spawn(pid, executable, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

int relux_process_descriptor(pid_t pid) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, pid, 0);  // close-on-exec by definition
#else
  errno = ENOSYS;
  return -1;
#endif
}

int relux_process_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  for (int i = 0; i < 2; i++) {
    if (ends[i] > lifeline_in_child) continue;
    int higher = fcntl(ends[i], F_DUPFD_CLOEXEC, lifeline_in_child + 1);
    if (higher < 0) {
      int failure = errno;
      close(ends[0]);
      close(ends[1]);
      errno = failure;
      return -1;
    }
    close(ends[i]);
    ends[i] = higher;
  }
  return 0;
}

static volatile sig_atomic_t signal_descriptor = -1;

static void write_signal(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe holds enough signals already.
  ssize_t written = write(signal_descriptor, &byte, 1);
  (void)written;
  errno = saved;
}

int relux_process_signals_to(int descriptor) {
  signal_descriptor = descriptor;
  struct sigaction action = {.sa_handler = write_signal, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  const int caught[] = {SIGTERM, SIGINT, SIGHUP};
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
    if (sigaction(caught[i], &action, NULL) != 0) return -1;
  return 0;
}

// jemalloc's, where that is the allocator (CReluxHeap); "4096" stands for all arenas.
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));

void relux_process_trim(void) {
  if (mallctl == NULL || mallctl("arena.4096.purge", NULL, NULL, NULL, 0) != 0) malloc_trim(0);
}

int relux_process_limit(pid_t pid, int resource, unsigned long value) {
  struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
  return prlimit(pid, resource, &limit, NULL) == 0 ? 0 : errno;
}
