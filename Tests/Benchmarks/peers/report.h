// The common parts of both peers' programs: the clock, the memory that two processes see, and the lines of JSON.
#pragma once

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAYLOAD = 128, WINDOW = 8192, BATCH = 256, WARM_UP = 500, PATIENCE_MS = 10000 };

// The recipient's progress, as the sender sees it; and whether the recipient is there.
static struct shared {
    atomic_long settled;
    atomic_int is_ready;
    uint64_t last_ns;
} *shared;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "peers: %s: %s\n", what, why ? why : "no answer");
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// The recipient, in a process of its own that ends with this one; returns when it is ready.
static pid_t start_recipient(void (*body)(const char *server, long count), const char *server, long count) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) fail("memory", "mmap");
    pid_t child = fork();
    if (child < 0) fail("a second process", "fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        body(server, count);
        exit(0);
    }
    for (int i = 0; !shared->is_ready; i++) {
        if (i > PATIENCE_MS || waitpid(child, NULL, WNOHANG) == child) fail("the recipient", "it did not start");
        usleep(1000);
    }
    return child;
}

static void end_recipient(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) fail("the recipient", "it failed");
}

// As many are sent and not settled as ours has, too.
static void await_room(long sent) {
    while (sent - shared->settled >= WINDOW) usleep(20);
}

static void print_rate(const char *name, long count, uint64_t start_ns) {
    double seconds = (double)(shared->last_ns - start_ns) / 1e9;
    printf("{\"benchmark\":\"%s.oneway\",\"count\":%ld,\"seconds\":%.3f,\"rate\":%.0f}\n", name, count, seconds, count / seconds);
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *name, long count, uint64_t *ns) {
    qsort(ns, (size_t)count, sizeof *ns, by_value);
    printf("{\"benchmark\":\"%s.roundtrip\",\"count\":%ld,\"p50_us\":%.1f,\"p99_us\":%.1f}\n", name, count, ns[count / 2] / 1e3, ns[count * 99 / 100] / 1e3);
}

static long count_of(const char *text) {
    long count = strtol(text, NULL, 10);
    if (count <= 0) fail("the count", "it has to be above 0");
    return count;
}

// The program: `oneway|roundtrip SERVER COUNT`.
static int run(int argc, char **argv, void (*one_way)(const char *server, long count), void (*round_trip)(const char *server, long count)) {
    bool is_one_way = argc == 4 && !strcmp(argv[1], "oneway");
    if (!is_one_way && (argc != 4 || strcmp(argv[1], "roundtrip") != 0)) fail("usage", "oneway|roundtrip SERVER COUNT");
    (is_one_way ? one_way : round_trip)(argv[2], count_of(argv[3]));
    return 0;
}
