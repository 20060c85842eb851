#define _GNU_SOURCE
#include "CReluxProcess.h"
#include "intake.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// An XPUB of libzmq 4.3.4 takes in all that its peers send before it lets anybody look, and keeps some fifty bytes for each byte of a subscription:
// several peers that subscribe as fast as they can are never seen in time. So what a process may send is measured where it is read: this is the recv
// that libzmq, linked behind us, finds first.

enum { DOORS = 64, BUCKETS = 1024, DESCRIPTORS = 1 << 16 };

struct door {
  char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
  size_t length;  // 0 when it is free
  int64_t bytes, per_second;
  unsigned long cut;
};

// What one process may still send at one door.
struct bucket {
  int door;
  pid_t peer;  // 0 when it is free
  int64_t left;
  int64_t filled_at;  // ns
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct door doors[DOORS];
static struct bucket buckets[BUCKETS];
// By descriptor: its bucket's number and 1, 0 for none, and the socket that it was then: numbers are used again.
static _Atomic uint16_t bucket_of[DESCRIPTORS];
static _Atomic uint64_t socket_of[DESCRIPTORS];

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static uint64_t cookie(int descriptor) {
  uint64_t value = 0;
  socklen_t length = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &value, &length) == 0 ? value : 0;
}

// The number of the door with that path, or -1; the lock is held.
static int find(const char *path, size_t length) {
  for (int door = 0; door < DOORS; door++)
    if (doors[door].length == length && memcmp(doors[door].path, path, length) == 0) return door;
  return -1;
}

void relux_intake_open(const char *path, size_t bytes, size_t per_second) {
  size_t length = strlen(path);
  if (length == 0 || length > sizeof doors[0].path) return;
  pthread_mutex_lock(&lock);
  int door = find(path, length);
  for (int free = 0; door < 0 && free < DOORS; free++)
    if (doors[free].length == 0) door = free;
  if (door >= 0) {
    memcpy(doors[door].path, path, length);
    doors[door].length = length;
    doors[door].bytes = (int64_t)bytes;
    doors[door].per_second = (int64_t)per_second;
    doors[door].cut = 0;
  }
  pthread_mutex_unlock(&lock);
}

void relux_intake_close(const char *path) {
  pthread_mutex_lock(&lock);
  int door = find(path, strlen(path));
  if (door >= 0) doors[door].length = 0;
  for (int bucket = 0; door >= 0 && bucket < BUCKETS; bucket++)
    if (buckets[bucket].door == door) buckets[bucket].peer = 0;
  pthread_mutex_unlock(&lock);
}

unsigned long relux_intake_cut(const char *path) {
  pthread_mutex_lock(&lock);
  int door = find(path, strlen(path));
  unsigned long cut = door < 0 ? 0 : doors[door].cut;
  pthread_mutex_unlock(&lock);
  return cut;
}

static void fill(struct bucket *bucket, int64_t time) {
  const struct door *door = &doors[bucket->door];
  int64_t passed = time - bucket->filled_at;
  if (passed > 1000000000 * (door->bytes / door->per_second + 1)) {
    bucket->left = door->bytes;
  } else {
    bucket->left += passed / 1000 * door->per_second / 1000000;
    if (bucket->left > door->bytes) bucket->left = door->bytes;
  }
  bucket->filled_at = time;
}

// The bucket of a process at a door; the one that was used least lately makes room. The lock is held.
static int take(int door, pid_t peer) {
  int oldest = 0;
  for (int index = 0; index < BUCKETS; index++) {
    if (buckets[index].peer == peer && buckets[index].door == door) return index;
    if (buckets[index].peer == 0) buckets[index].filled_at = 0;
    if (buckets[index].filled_at < buckets[oldest].filled_at) oldest = index;
  }
  buckets[oldest] = (struct bucket){.door = door, .peer = peer, .left = doors[door].bytes, .filled_at = now()};
  return oldest;
}

void relux_intake_accepted(int listener, int peer) {
  if (peer >= DESCRIPTORS) return;
  atomic_store(&bucket_of[peer], 0);
  struct sockaddr_un address;
  socklen_t length = sizeof address;
  memset(&address, 0, sizeof address);
  if (getsockname(listener, (struct sockaddr *)&address, &length) != 0 || address.sun_family != AF_UNIX) return;
  struct ucred credentials;
  length = sizeof credentials;
  if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return;
  uint64_t number = cookie(peer);
  if (number == 0) return;
  pthread_mutex_lock(&lock);
  int door = find(address.sun_path, strnlen(address.sun_path, sizeof address.sun_path));
  if (door >= 0) {
    atomic_store(&socket_of[peer], number);
    atomic_store(&bucket_of[peer], (uint16_t)(take(door, credentials.pid) + 1));
  }
  pthread_mutex_unlock(&lock);
}

// False when the process that has sent them has sent too much.
static int may_take(int descriptor, int64_t bytes) {
  uint16_t place = atomic_load(&bucket_of[descriptor]);
  if (place == 0) return 1;
  if (cookie(descriptor) != atomic_load(&socket_of[descriptor])) {
    atomic_store(&bucket_of[descriptor], 0);
    return 1;
  }
  pthread_mutex_lock(&lock);
  struct bucket *bucket = &buckets[place - 1];
  int may = 1;
  if (bucket->peer != 0) {
    fill(bucket, now());
    bucket->left -= bytes;
    may = bucket->left >= 0;
    if (!may) doors[bucket->door].cut++;
  }
  pthread_mutex_unlock(&lock);
  return may;
}

ssize_t recv(int descriptor, void *buffer, size_t length, int flags) {
  ssize_t count = syscall(SYS_recvfrom, descriptor, buffer, length, flags, NULL, NULL);
  if (count <= 0 || descriptor >= DESCRIPTORS || may_take(descriptor, count)) return count;
  shutdown(descriptor, SHUT_RDWR);
  errno = ECONNRESET;
  return -1;
}
