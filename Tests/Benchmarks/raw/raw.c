// The reference that our own figures stand beside: bare libzmq between two processes over ipc, nothing kept, nothing decoded.
//
//   raw oneway COUNT      an XPUB that never drops sends to one SUB, one message per send
//   raw oneway3 COUNT     the same to three, each in a process of its own
//   raw roundtrip COUNT   two publish/subscribe links, one message in flight, to the peer and back
//
// Each message is `topic 0x00 payload`; the payload has 128 bytes and begins with the message's number. Four topics take turns.
// One line of JSON goes to stdout. `cc -O2 raw.c -lzmq`

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { PAYLOAD = 128, VARIANTS = 4, SUBSCRIBERS = 3, HWM = 10000, SILENCE_MS = 10000, MAX_MESSAGE = 256 };

static const char *const topics[VARIANTS] = {
    "Auth.Business.Effect", "Profile.Business.Effect", "Settings.Business.Effect", "Notes.Business.Effect"};
static const char end_topic[] = "~end";

struct message {
    size_t size, header;
    unsigned char bytes[MAX_MESSAGE];
};

// The report of the processes, in memory that all of them see.
static struct report {
    uint64_t start_ns;
    double cpu_us;
    struct subscriber {
        uint64_t received, disorder, end_ns;
        double cpu_us;
    } subscribers[SUBSCRIBERS];
} *report;

static char directory[] = "/tmp/relux-raw-XXXXXX";
static char endpoints[2][64];
static pid_t owner;

static void remove_directory(void) {
    if (getpid() != owner) return;
    for (int i = 0; i < 2; i++) unlink(endpoints[i] + strlen("ipc://"));
    rmdir(directory);
}

static void fail(const char *what) {
    fprintf(stderr, "raw: %s: %s\n", what, zmq_strerror(errno));
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double cpu_us(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static void set(void *socket, int option, int value) {
    if (zmq_setsockopt(socket, option, &value, sizeof value) != 0) fail("option");
}

static void *open_publisher(void *context, const char *endpoint) {
    void *socket = zmq_socket(context, ZMQ_XPUB);
    if (!socket) fail("socket");
    set(socket, ZMQ_XPUB_NODROP, 1);
    // Each subscriber is counted, also for what another one hears already.
    set(socket, ZMQ_XPUB_VERBOSE, 1);
    set(socket, ZMQ_SNDHWM, HWM);
    set(socket, ZMQ_LINGER, 1000);
    if (zmq_bind(socket, endpoint) != 0) fail(endpoint);
    return socket;
}

static void *open_subscriber(void *context, const char *endpoint) {
    void *socket = zmq_socket(context, ZMQ_SUB);
    if (!socket) fail("socket");
    set(socket, ZMQ_RCVHWM, HWM);
    set(socket, ZMQ_SNDHWM, 0);
    set(socket, ZMQ_LINGER, 0);
    set(socket, ZMQ_RECONNECT_IVL, 5);
    set(socket, ZMQ_RCVTIMEO, SILENCE_MS);
    for (int i = 0; i < VARIANTS; i++)
        if (zmq_setsockopt(socket, ZMQ_SUBSCRIBE, topics[i], strlen(topics[i]) + 1) != 0) fail("subscribe");
    if (zmq_setsockopt(socket, ZMQ_SUBSCRIBE, end_topic, sizeof end_topic) != 0) fail("subscribe");
    if (zmq_connect(socket, endpoint) != 0) fail(endpoint);
    return socket;
}

static void await_subscribers(void *publisher, int count) {
    char frame[MAX_MESSAGE];
    set(publisher, ZMQ_RCVTIMEO, SILENCE_MS);
    for (int i = 0; i < (VARIANTS + 1) * count; i++)
        if (zmq_recv(publisher, frame, sizeof frame, 0) < 0) fail("no subscriber came");
}

static void send_bytes(void *socket, const void *bytes, size_t size) {
    while (zmq_send(socket, bytes, size, 0) < 0)
        if (errno != EINTR) fail("send");
}

// False when nothing came for SILENCE_MS.
static int receive(void *socket, zmq_msg_t *part) {
    while (zmq_msg_recv(part, socket, 0) < 0) {
        if (errno == EAGAIN) return 0;
        if (errno != EINTR) fail("receive");
    }
    return 1;
}

static void prepare(struct message messages[VARIANTS]) {
    for (int i = 0; i < VARIANTS; i++) {
        struct message *m = &messages[i];
        m->header = strlen(topics[i]) + 1;
        m->size = m->header + PAYLOAD;
        memcpy(m->bytes, topics[i], m->header);
        memset(m->bytes + m->header, 'a' + i, PAYLOAD);
    }
}

static void number(struct message *m, uint64_t n) { memcpy(m->bytes + m->header, &n, sizeof n); }

// The message's number, or UINT64_MAX for what is none of ours.
static uint64_t number_of(zmq_msg_t *part, const struct message messages[VARIANTS]) {
    const unsigned char *bytes = zmq_msg_data(part);
    size_t size = zmq_msg_size(part);
    for (int i = 0; i < VARIANTS; i++) {
        const struct message *m = &messages[i];
        if (size != m->size || memcmp(bytes, m->bytes, m->header) != 0) continue;
        uint64_t n;
        memcpy(&n, bytes + m->header, sizeof n);
        return n;
    }
    return UINT64_MAX;
}

static void close_all(void *context, void *a, void *b) {
    zmq_close(a);
    if (b) zmq_close(b);
    zmq_ctx_term(context);
}

// One way

static void publish(uint64_t count, int subscribers) {
    struct message messages[VARIANTS];
    prepare(messages);
    void *context = zmq_ctx_new(), *publisher = open_publisher(context, endpoints[0]);
    await_subscribers(publisher, subscribers);
    double cpu = cpu_us();
    report->start_ns = now_ns();
    for (uint64_t n = 0; n < count; n++) {
        struct message *m = &messages[n % VARIANTS];
        number(m, n);
        send_bytes(publisher, m->bytes, m->size);
    }
    send_bytes(publisher, end_topic, sizeof end_topic);
    close_all(context, publisher, NULL);
    report->cpu_us = cpu_us() - cpu;
}

static void subscribe(uint64_t count, struct subscriber *result) {
    struct message messages[VARIANTS];
    prepare(messages);
    void *context = zmq_ctx_new(), *subscriber = open_subscriber(context, endpoints[0]);
    zmq_msg_t part;
    zmq_msg_init(&part);
    uint64_t received = 0, disorder = 0, next = 0, end_ns = 0;
    double cpu = cpu_us();
    while (receive(subscriber, &part)) {
        uint64_t n = number_of(&part, messages);
        if (n == UINT64_MAX) break;
        if (n < next) disorder++;
        next = n + 1;
        received++;
        if (received == count) end_ns = now_ns();
    }
    cpu = cpu_us() - cpu;
    if (end_ns == 0) end_ns = now_ns();
    zmq_msg_close(&part);
    close_all(context, subscriber, NULL);
    *result = (struct subscriber){received, disorder, end_ns, cpu};
}

static void await(pid_t peer) {
    int status;
    if (waitpid(peer, &status, 0) < 0 || status != 0) exit(1);
}

// The rate is that of the slowest subscriber.
static void report_oneway(uint64_t count, int subscribers) {
    struct subscriber all = {count, 0, 0, 0};
    for (int i = 0; i < subscribers; i++) {
        struct subscriber *s = &report->subscribers[i];
        if (s->received < all.received) all.received = s->received;
        if (s->end_ns > all.end_ns) all.end_ns = s->end_ns;
        all.disorder += s->disorder;
        all.cpu_us += s->cpu_us / subscribers;
    }
    double seconds = (all.end_ns - report->start_ns) / 1e9;
    printf("{\"benchmark\":\"raw.oneway%s\",\"payload_bytes\":%d,\"variants\":%d,\"count\":%llu,\"received\":%llu,"
           "\"lost\":%llu,\"disorder\":%llu,\"seconds\":%.6f,\"rate\":%.0f,"
           "\"cpu_us_sender\":%.3f,\"cpu_us_receiver\":%.3f}\n",
           subscribers == 1 ? "" : ".3", PAYLOAD, VARIANTS, (unsigned long long)count, (unsigned long long)all.received,
           (unsigned long long)(count - all.received), (unsigned long long)all.disorder, seconds, all.received / seconds,
           report->cpu_us / count, all.cpu_us / count);
}

// Round trip

static void echo(void) {
    void *context = zmq_ctx_new(), *publisher = open_publisher(context, endpoints[1]);
    void *subscriber = open_subscriber(context, endpoints[0]);
    await_subscribers(publisher, 1);
    zmq_msg_t part;
    zmq_msg_init(&part);
    while (receive(subscriber, &part)) {
        if (zmq_msg_size(&part) == sizeof end_topic) break;
        while (zmq_msg_send(&part, publisher, 0) < 0)
            if (errno != EINTR) fail("send");
    }
    zmq_msg_close(&part);
    close_all(context, subscriber, publisher);
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Nearest rank, in microseconds.
static double percentile(const uint64_t *sorted, uint64_t count, double share) {
    if (count == 0) return 0;
    uint64_t rank = (uint64_t)(share * count);
    if (rank < share * count) rank++;
    return sorted[rank == 0 ? 0 : rank - 1] / 1e3;
}

static void measure_roundtrip(uint64_t count, pid_t peer) {
    struct message messages[VARIANTS];
    prepare(messages);
    uint64_t *times = malloc(count * sizeof *times);
    if (!times) fail("memory for the times");
    void *context = zmq_ctx_new(), *publisher = open_publisher(context, endpoints[0]);
    void *subscriber = open_subscriber(context, endpoints[1]);
    await_subscribers(publisher, 1);
    zmq_msg_t part;
    zmq_msg_init(&part);
    // The first rounds find cold caches and a peer that may not have started yet.
    uint64_t warm = 1000, received = 0, sent = 0, start = now_ns();
    for (; sent < warm + count; sent++) {
        if (sent == warm) start = now_ns();
        struct message *m = &messages[sent % VARIANTS];
        number(m, sent);
        uint64_t before = now_ns();
        send_bytes(publisher, m->bytes, m->size);
        int came = 0;
        // An answer that comes after its time counts as lost, and must not be taken for the next one.
        while (!came && receive(subscriber, &part)) came = number_of(&part, messages) == sent;
        if (!came) {
            fprintf(stderr, "raw: no answer for %d ms\n", SILENCE_MS);
            break;
        }
        if (sent >= warm) times[received++] = now_ns() - before;
    }
    double seconds = (now_ns() - start) / 1e9;
    send_bytes(publisher, end_topic, sizeof end_topic);
    zmq_msg_close(&part);
    close_all(context, publisher, subscriber);
    await(peer);
    qsort(times, received, sizeof *times, by_size);
    printf("{\"benchmark\":\"raw.roundtrip\",\"payload_bytes\":%d,\"variants\":%d,\"count\":%llu,\"received\":%llu,"
           "\"lost\":%llu,\"seconds\":%.6f,\"rate\":%.0f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f}\n",
           PAYLOAD, VARIANTS, (unsigned long long)count, (unsigned long long)received,
           (unsigned long long)(count - received), seconds, received / seconds, percentile(times, received, 0.5),
           percentile(times, received, 0.99), percentile(times, received, 0.999));
    free(times);
}

// A process that must not outlive a measurement that fails or is interrupted; 0 in it.
static pid_t start(void) {
    pid_t peer = fork();
    if (peer < 0) fail("fork");
    if (peer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != owner) exit(1);
    }
    return peer;
}

static void measure_oneway(uint64_t count, int subscribers) {
    pid_t peers[SUBSCRIBERS];
    for (int i = 0; i < subscribers; i++) {
        peers[i] = start();
        if (peers[i] > 0) continue;
        // The first child publishes, each other one is a subscriber as this process is.
        if (i == 0) publish(count, subscribers);
        else subscribe(count, &report->subscribers[i]);
        exit(0);
    }
    subscribe(count, &report->subscribers[0]);
    for (int i = 0; i < subscribers; i++) await(peers[i]);
    report_oneway(count, subscribers);
}

int main(int argc, char **argv) {
    char *rest = NULL;
    unsigned long long count = argc == 3 ? strtoull(argv[2], &rest, 10) : 0;
    int oneway = argc == 3 && strcmp(argv[1], "oneway") == 0, three = argc == 3 && strcmp(argv[1], "oneway3") == 0;
    int roundtrip = argc == 3 && strcmp(argv[1], "roundtrip") == 0;
    if ((!oneway && !three && !roundtrip) || *rest != 0 || count == 0 || count > 1000000000ull) {
        fprintf(stderr, "usage: raw oneway|oneway3|roundtrip COUNT, COUNT from 1 to 1000000000\n");
        return 64;
    }
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED) fail("mmap");
    owner = getpid();
    if (!mkdtemp(directory)) fail(directory);
    for (int i = 0; i < 2; i++) snprintf(endpoints[i], sizeof endpoints[i], "ipc://%s/%d", directory, i);
    atexit(remove_directory);
    if (oneway || three) {
        measure_oneway(count, three ? SUBSCRIBERS : 1);
        return 0;
    }
    pid_t peer = start();
    if (peer == 0) {
        echo();
        return 0;
    }
    measure_roundtrip(count, peer);
    return 0;
}
