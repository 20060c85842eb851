// NATS JetStream as ours are used: a message is kept in a stream on the disk, a durable consumer handles it and acknowledges each.
//
//   nats oneway URL COUNT      published asynchronously; the recipient fetches up to 256 at a time
//   nats roundtrip URL COUNT   a request in one stream, the answer in another, both acknowledged; one at a time
//
// `cc -O2 nats.c -lnats`
#include "report.h"
#include <nats/nats.h>

static char payload[PAYLOAD];

struct server {
    natsConnection *connection;
    jsCtx *js;
};

static void check(natsStatus status, const char *what) {
    if (status != NATS_OK) fail(what, natsStatus_GetText(status));
}

// `at_once`: each message is written when it is said; otherwise the library gathers them for a moment.
static struct server connect_to(const char *url, bool at_once) {
    struct server server = {0};
    natsOptions *connecting = NULL;
    jsOptions options;
    check(natsOptions_Create(&connecting), "options");
    check(natsOptions_SetURL(connecting, url), "options");
    check(natsOptions_SetSendAsap(connecting, at_once), "options");
    check(natsConnection_Connect(&server.connection, connecting), "connect");
    natsOptions_Destroy(connecting);
    jsOptions_Init(&options);
    options.PublishAsync.MaxPending = WINDOW;
    check(natsConnection_JetStream(&server.js, server.connection, &options), "jetstream");
    return server;
}

static void leave(struct server server) {
    jsCtx_Destroy(server.js);
    natsConnection_Destroy(server.connection);
}

static void make_stream(struct server server, const char *name) {
    jsStreamConfig stream;
    jsStreamConfig_Init(&stream);
    stream.Name = name;
    stream.Subjects = &name;
    stream.SubjectsLen = 1;
    stream.Storage = js_FileStorage;
    check(js_AddStream(NULL, server.js, &stream, NULL, NULL), "stream");
}

static jsSubOptions sub_options(const char *stream) {
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = stream;
    options.ManualAck = true;
    options.Config.AckPolicy = js_AckExplicit;
    options.Config.MaxAckPending = 2 * WINDOW;
    return options;
}

static void settle_all(const char *url, long count) {
    struct server server = connect_to(url, false);
    natsSubscription *subscription = NULL;
    jsSubOptions options = sub_options("oneway");
    make_stream(server, "oneway");
    check(js_PullSubscribe(&subscription, server.js, "oneway", "one", NULL, &options, NULL), "subscribe");
    shared->is_ready = 1;
    for (long done = 0; done < count;) {
        natsMsgList list = {0};
        check(natsSubscription_Fetch(&list, subscription, BATCH, PATIENCE_MS, NULL), "fetch");
        for (int i = 0; i < list.Count; i++) check(natsMsg_Ack(list.Msgs[i], NULL), "ack");
        done += list.Count;
        natsMsgList_Destroy(&list);
        // The last of them are settled when the server has them.
        if (done >= count) check(natsConnection_Flush(server.connection), "flush");
        shared->last_ns = now_ns();
        shared->settled = done;
    }
    natsSubscription_Destroy(subscription);
    leave(server);
}

static void one_way(const char *url, long count) {
    pid_t recipient = start_recipient(settle_all, url, count);
    struct server server = connect_to(url, false);
    uint64_t start = now_ns();
    for (long sent = 0; sent < count; sent++) {
        if (sent % 64 == 0) await_room(sent);
        check(js_PublishAsync(server.js, "oneway", payload, PAYLOAD, NULL), "publish");
    }
    end_recipient(recipient);
    print_rate("nats", count, start);
    leave(server);
}

static natsSubscription *listen_to(struct server server, const char *name) {
    natsSubscription *subscription = NULL;
    jsSubOptions options = sub_options(name);
    make_stream(server, name);
    check(js_SubscribeSync(&subscription, server.js, name, NULL, &options, NULL), "subscribe");
    return subscription;
}

// Takes the next message of a stream, and says something on another one; empty: on none.
static void take(struct server server, natsSubscription *subscription, const char *next) {
    natsMsg *message = NULL;
    check(natsSubscription_NextMsg(&message, subscription, PATIENCE_MS), "next");
    check(natsMsg_Ack(message, NULL), "ack");
    natsMsg_Destroy(message);
    if (*next) check(js_PublishAsync(server.js, next, payload, PAYLOAD, NULL), "publish");
}

static void answer_all(const char *url, long count) {
    struct server server = connect_to(url, true);
    natsSubscription *subscription = listen_to(server, "request");
    shared->is_ready = 1;
    for (long i = 0; i < count; i++) take(server, subscription, "answer");
    check(natsConnection_Flush(server.connection), "flush");
    natsSubscription_Destroy(subscription);
    leave(server);
}

static void round_trip(const char *url, long count) {
    uint64_t *times = calloc((size_t)count, sizeof *times);
    pid_t recipient = start_recipient(answer_all, url, count + WARM_UP);
    struct server server = connect_to(url, true);
    natsSubscription *subscription = listen_to(server, "answer");
    for (long i = 0; i < count + WARM_UP; i++) {
        uint64_t start = now_ns();
        check(js_PublishAsync(server.js, "request", payload, PAYLOAD, NULL), "publish");
        take(server, subscription, "");
        if (i >= WARM_UP) times[i - WARM_UP] = now_ns() - start;
    }
    end_recipient(recipient);
    print_times("nats", count, times);
    natsSubscription_Destroy(subscription);
    leave(server);
}

int main(int argc, char **argv) {
    memset(payload, 'p', sizeof payload);
    return run(argc, argv, one_way, round_trip);
}
