// Redis Streams as ours are used: a message is kept in the append-only file, a group's only consumer handles it and says so with XACK.
//
//   redis oneway SOCKET COUNT      XADD, pipelined; the recipient reads up to 256 at a time and acknowledges them with one XACK
//   redis roundtrip SOCKET COUNT   a request in one stream, the answer in another, both acknowledged; one at a time
//
// `cc -O2 redis.c -lhiredis`
#include "report.h"
#include <hiredis/hiredis.h>

// As many answers may be on their way.
enum { ANSWERS = 1024 };

static char payload[PAYLOAD];

static redisContext *connect_to(const char *path) {
    redisContext *server = redisConnectUnix(path);
    if (!server || server->err) fail("connect", server ? server->errstr : NULL);
    return server;
}

static redisReply *answer(redisContext *server) {
    redisReply *reply = NULL;
    if (redisGetReply(server, (void **)&reply) != REDIS_OK) fail("answer", server->errstr);
    if (reply->type == REDIS_REPLY_ERROR) fail("refused", reply->str);
    return reply;
}

static void make_group(redisContext *server, const char *stream) {
    redisAppendCommand(server, "XGROUP CREATE %s group $ MKSTREAM", stream);
    freeReplyObject(answer(server));
}

static void append_add(redisContext *server, const char *stream) { redisAppendCommand(server, "XADD %s * p %b", stream, payload, (size_t)PAYLOAD); }

static void append_read(redisContext *server, const char *stream) {
    redisAppendCommand(server, "XREADGROUP GROUP group one COUNT %d BLOCK %d STREAMS %s >", BATCH, PATIENCE_MS, stream);
}

// Queues one XACK for all that was read; how many.
static long append_ack(redisContext *server, const char *stream, const redisReply *read) {
    if (read->type != REDIS_REPLY_ARRAY || read->elements != 1) fail("read", "nothing came");
    const redisReply *entries = read->element[0]->element[1];
    const char *words[BATCH + 3] = {"XACK", stream, "group"};
    for (size_t i = 0; i < entries->elements; i++) words[i + 3] = entries->element[i]->element[0]->str;
    redisAppendCommandArgv(server, (int)entries->elements + 3, words, NULL);
    return (long)entries->elements;
}

static void settle_all(const char *path, long count) {
    redisContext *server = connect_to(path);
    make_group(server, "oneway");
    shared->is_ready = 1;
    append_read(server, "oneway");
    for (long done = 0; done < count;) {
        redisReply *read = answer(server);
        long taken = append_ack(server, "oneway", read);
        freeReplyObject(read);
        if (done + taken < count) append_read(server, "oneway");
        freeReplyObject(answer(server));
        done += taken;
        shared->last_ns = now_ns();
        shared->settled = done;
    }
    redisFree(server);
}

static void one_way(const char *path, long count) {
    redisContext *server = connect_to(path);
    pid_t recipient = start_recipient(settle_all, path, count);
    uint64_t start = now_ns();
    long answered = 0;
    for (long sent = 0; sent < count;) {
        await_room(sent);
        long lot = count - sent < 64 ? count - sent : 64;
        for (long i = 0; i < lot; i++) append_add(server, "oneway");
        sent += lot;
        for (int done = 0; !done;)
            if (redisBufferWrite(server, &done) != REDIS_OK) fail("write", server->errstr);
        // Answers come while more is sent; those that are still on their way are read later.
        for (; sent - answered > ANSWERS; answered++) freeReplyObject(answer(server));
    }
    for (; answered < count; answered++) freeReplyObject(answer(server));
    end_recipient(recipient);
    print_rate("redis", count, start);
    redisFree(server);
}

// Takes the next message of a stream, and says something on another one; empty: on none.
static void take(redisContext *server, const char *stream, const char *next) {
    append_read(server, stream);
    redisReply *read = answer(server);
    append_ack(server, stream, read);
    freeReplyObject(read);
    if (*next) append_add(server, next);
    freeReplyObject(answer(server));
    if (*next) freeReplyObject(answer(server));
}

static void answer_all(const char *path, long count) {
    redisContext *server = connect_to(path);
    make_group(server, "request");
    shared->is_ready = 1;
    for (long i = 0; i < count; i++) take(server, "request", "answer");
    redisFree(server);
}

static void round_trip(const char *path, long count) {
    redisContext *server = connect_to(path);
    make_group(server, "answer");
    uint64_t *times = calloc((size_t)count, sizeof *times);
    pid_t recipient = start_recipient(answer_all, path, count + WARM_UP);
    for (long i = 0; i < count + WARM_UP; i++) {
        uint64_t start = now_ns();
        append_add(server, "request");
        freeReplyObject(answer(server));
        take(server, "answer", "");
        if (i >= WARM_UP) times[i - WARM_UP] = now_ns() - start;
    }
    end_recipient(recipient);
    print_times("redis", count, times);
    redisFree(server);
}

int main(int argc, char **argv) {
    memset(payload, 'p', sizeof payload);
    return run(argc, argv, one_way, round_trip);
}
