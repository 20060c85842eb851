#define _GNU_SOURCE
#include "CReluxHeap.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// For jemalloc 5.3 and later. One arena, and small caches for each thread: with the defaults an idle host takes 2 MB more, and is no faster with effects of 128
// bytes (2026-11-28). `retain:false` unmaps what is free: the supervisor's limit of a host's memory counts what is mapped.
const char *malloc_conf = "narenas:1,retain:false,tcache_nslots_small_max:40,tcache_max:8192";

// jemalloc maps some megabytes before anything else can run, and with less the process would end without a word: how many differs from run to run, with
// 16 one start in fifty ended so. The program itself asks for more, and says
// so with the same words, when it has come that far.
enum { LEAST_MEBIBYTES = 32, WANTED_STATUS = 71 };

static void say(const char *text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

static void need_room(int count, char **arguments, char **environment) {
  (void)environment;
  struct rlimit limit;
  const rlim_t least = (rlim_t)LEAST_MEBIBYTES << 20;
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= least) return;
  if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= least) {
    limit.rlim_cur = least;
    if (setrlimit(RLIMIT_DATA, &limit) == 0) return;
  }
  const char *path = count > 0 ? arguments[0] : "relux-host";
  const char *slash = strrchr(path, '/');
  // Below 32, so two digits do.
  unsigned mebibytes = (unsigned)(limit.rlim_cur >> 20);
  char number[3] = {(char)('0' + mebibytes / 10), (char)('0' + mebibytes % 10), 0};
  say(slash ? slash + 1 : path);
  say(": data: this process may have ");
  say(number[0] == '0' ? number + 1 : number);
  say(" MiB of memory by RLIMIT_DATA (ulimit -d, LimitDATA=), and it needs 128 to start; raise the limit where it is "
      "started, by `ulimit -d unlimited` or LimitDATA=infinity of its unit\n");
  _exit(WANTED_STATUS);
}

// Before the start of any library.
__attribute__((section(".preinit_array"), used)) static void (*const before_all)(int, char **, char **) = need_room;
