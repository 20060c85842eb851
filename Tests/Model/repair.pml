/* Repair: one stream, one publisher, one recipient, the courier, and a bus that drops frames (Sources/Relux/Relux.docc/Design.md).
 *
 * A step is one atomic block: what is written in one batch, or sent in one frame. A crash may come between any two steps; it
 * takes what a process only remembers and leaves its journal. Timers fire at any moment; for liveness (-DSLOW_TIMERS) their
 * period is longer than anything else takes, as 200 ms are: else fairness would have to be of single steps.
 * The handler's run lies between `start` and `settle`; handlers of one recipient overlap and settle in any order.
 * A recipient holds nothing that comes too early here: it fetches it again, as it may when its room is full.
 *
 * Bounds: EFFECTS effects, CRASHES crashes of publisher, recipient and courier in all, one of which may be a power loss that
 * takes the publisher's last EFFECT or ACKED, also one that it has acknowledged; one frame of room on each path; EFFECT and
 * SETTLED may be lost on a free path, too.
 *
 * Of the code: BusCore+Say (append, then publish), BusCore+Publisher (ACKED, answers to FETCH), BusCore+Recipient and
 * InboundStream (gaps, HEAD, replay before live), BusCore+Time (the timers), BusCore+Doubt (what was settled without a trace),
 * CourierQuestion and its answers, Ledger+Apply (what a life finds in its journal).
 * Left out, and tried in the simulator (Tests/ReluxBusTests/Simulation) instead: several streams, publishers and recipients;
 * markers and READY (how a subscription begins); records that are held, ranges, credit and when a FETCH is repeated; trimming;
 * `transient` and `machine`; snapshots; who is removed (membership.pml) or handed over (handover.pml). Left out, and in no
 * model: suspects and dead letters (pure, Suspicion), what a re-run says again (pure, Recall), a limit that refuses.
 */
#ifndef EFFECTS
#define EFFECTS 2
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
/* In production 2^32; here just more than one lost effect. */
#define JUMP 2
#define BIT(sequence) (1 << (sequence))
#define LIFE(sequence) ((reborn >> (sequence)) & 1)

mtype = { EFFECT, GONE, HEAD, SETTLED, WORD };

chan live   = [1] of { mtype, byte, byte };  /* to the recipient: EFFECT(sequence, life) HEAD(head, acknowledged) */
chan replay = [1] of { mtype, byte, byte };  /* to the recipient: EFFECT(sequence, life) GONE(sequence) */
chan fetch  = [1] of { byte };               /* from the recipient: FETCH(sequence), to whoever has the journal */
chan wanted = [1] of { byte };               /* from the publisher: FETCH(number), of a settlement; 0: how far are you? */
/* To the publisher: SETTLED(number, sequence) HEAD(number) GONE(number) WORD(last number that is still there, low-water). */
chan back   = [1] of { mtype, byte, byte };

/* The publisher's journal. Sets of sequences are bits. */
byte head, kept, acked;          /* last sequence; effects in it; those with ACKED */
byte cursor;                     /* the settlement up to which ACKED has been journaled */
byte reborn;                     /* ghost: sequences whose effect was said after the power loss */
mtype tail = HEAD;               /* the last record, when it is an EFFECT or an ACKED (here SETTLED): a power loss may take it */
/* The recipient's journal: settlement `number` names an effect's sequence. */
byte numbers, trimmed;
byte settlement[EFFECTS + 3];
byte settled;                    /* its cursor */

/* Remembered only, hence lost in a crash. */
byte unsent, unsaid;             /* appended and not yet sent: a sequence of the publisher, a number of the recipient */
byte serving, couriering;        /* next of the answer under way */
byte doubted;                    /* open when this life of the publisher began: it may have been settled without a trace */
byte open;                       /* handlers that run */
bool isHeadDue, isTailDue;       /* the timers of publisher and recipient */

byte journaled;                  /* ghost: sequences with a SETTLED on disk */
byte handled[2];                 /* ghost: sequences started, by life */
byte said, crashes;
bool isUp = true, isGone, hadPowerLoss;

/* Effects whose settlement the recipient still has. */
#define isKept(number) ((trimmed < (number) && (number) <= numbers) * BIT(settlement[number]))
#if EFFECTS > 2
#define unacknowledged (isKept(1) | isKept(2) | isKept(3) | isKept(4))
#else
#define unacknowledged (isKept(1) | isKept(2) | isKept(3))
#endif
#define isPending ((kept & ~acked) != 0)
#define allHandled ((kept & ~acked & ~settled) == 0)
#define booksBalance (allHandled && (isGone || (said == EFFECTS && !isPending && trimmed == numbers)))
#ifdef SLOW_TIMERS
#define isPeriodOver (empty(live) && empty(replay) && empty(fetch) && empty(wanted) && empty(back) \
    && !unsent && !unsaid && !serving && !couriering && !open && (isUp || isGone))
#else
#define isPeriodOver true
#endif

inline drain3(path) { do :: nempty(path) -> path?_, _, _ :: empty(path) -> break od }
inline drain1(path) { do :: nempty(path) -> path?_ :: empty(path) -> break od }
inline lose3(path) { if :: drain3(path) :: skip fi }
inline lose1(path) { if :: drain1(path) :: skip fi }
inline send3(path, kind, a, b) { if :: nfull(path) -> path!kind, a, b :: full(path) -> skip fi }

/* To the publisher; without its process nobody listens. */
inline tell(kind, a, b) {
    if :: isUp && nfull(back) -> back!kind, a, b :: !isUp || full(back) -> skip fi
}

inline ask(path, from) { if :: nfull(path) -> path!from :: full(path) -> skip fi }

/* The next record of an answer. The sender of a replay never skips: without room it stops there (§7). */
inline serve(sequence) {
    if
    :: sequence > head -> sequence = 0
    :: sequence <= head && full(replay) ->
#ifdef MUTANT_REPLAY_SKIPS
        sequence++
#else
        sequence = 0
#endif
    :: sequence <= head && nfull(replay) ->
        if
        :: (kept & ~acked) & BIT(sequence) -> replay!EFFECT, sequence, LIFE(sequence)
        :: else -> replay!GONE, sequence, 0
        fi;
        sequence++
    fi
}

/* One power loss at most: behind it nothing is taken. */
inline lastIs(kind) { if :: hadPowerLoss -> tail = HEAD :: else -> tail = kind fi }

inline journalAcked(number, sequence) {
    cursor = number; tail = HEAD; doubted = doubted & ~BIT(sequence);
    if
    :: (kept & ~acked) & BIT(sequence) ->
        /* §2.5: what the books call settled was handled. */
        assert(handled[LIFE(sequence)] & BIT(sequence));
        acked = acked | BIT(sequence); lastIs(SETTLED)
    :: else                       /* lost with the power meanwhile */
    fi
}

/* The recipient is through with all up to `mark`, and every settlement that it still has is taken: what is open is settled. */
inline takeWord(mark) {
    a = 1;
    do
    :: a <= mark && (doubted & kept & ~acked & BIT(a)) ->
        assert(handled[LIFE(a)] & BIT(a));
        /* The result is given up only when nobody has it any more. */
        assert(!(unacknowledged & BIT(a)));
        acked = acked | BIT(a); doubted = doubted & ~BIT(a); tail = HEAD; a++
    :: a <= mark && !(doubted & kept & ~acked & BIT(a)) -> a++
    :: a > mark -> break
    od
}

inline sayHead() {
#ifdef MUTANT_NO_HEAD
    if :: isAckDue -> send3(live, HEAD, 0, cursor) :: else fi
#elif defined(MUTANT_ACKNOWLEDGED_EARLY)
    if :: heard > cursor -> send3(live, HEAD, head, heard) :: heard <= cursor -> send3(live, HEAD, head, cursor) fi
#else
    send3(live, HEAD, head, cursor)
#endif
}

active proctype Publisher() {
    mtype kind; byte a, b;
    bool isAckDue;
    byte heard, effect;           /* only of a mutant: heard of, not yet journaled */
end:
    do
    /* Append, then publish (§2.1): accepted here. */
    :: atomic { isUp && said < EFFECTS && unsent == 0 ->
        said++; head++; kept = kept | BIT(head); lastIs(EFFECT); unsent = head;
        if :: hadPowerLoss -> reborn = reborn | BIT(head) :: else fi }
    :: atomic { isUp && unsent != 0 ->
        if :: send3(live, EFFECT, unsent, LIFE(unsent)) :: skip fi; unsent = 0 }
    :: atomic { isUp && serving != 0 -> serve(serving) }
    :: atomic { isUp && serving == 0 && nempty(fetch) -> fetch?serving }
    /* A settlement, in the order of its stream; ACKED is one record (§6). */
    :: atomic { isUp && nempty(back) && heard <= cursor -> back?kind, a, b;
        if
        :: kind == WORD ->
#ifdef MUTANT_WORD_OVERTAKES
            takeWord(b)
#else
            if :: a <= cursor -> takeWord(b) :: a > cursor -> ask(wanted, cursor + 1) fi
#endif
        :: kind != WORD && a <= cursor -> isAckDue = true
        :: a == cursor + 1 && kind == GONE -> isAckDue = true; cursor = a; tail = HEAD
        :: a == cursor + 1 && kind == SETTLED ->
            isAckDue = true;
#ifdef MUTANT_ACKNOWLEDGED_EARLY
            heard = a; effect = b
#else
            journalAcked(a, b)
#endif
        :: kind != WORD && (a > cursor + 1 || (a > cursor && kind == HEAD)) -> ask(wanted, cursor + 1)
        fi; a = 0; b = 0; kind = 0 }
#ifdef MUTANT_ACKNOWLEDGED_EARLY
    :: atomic { isUp && heard > cursor -> journalAcked(heard, effect) }
#endif
    /* HEAD, as long as anything is unsettled or to be acknowledged (§7). */
    :: atomic { isUp && isHeadDue ->
        isHeadDue = false;
        if
        :: isPending || isAckDue -> sayHead(); isAckDue = false
        :: else
        fi;
#ifndef MUTANT_NO_DOUBT
        if :: doubted & kept & ~acked -> ask(wanted, 0) :: else fi
#endif
        }
    :: atomic { isUp && crashes < CRASHES -> crashes++; isUp = false;
        unsent = 0; serving = 0; doubted = 0; isAckDue = false; drain3(back); drain1(fetch); lose3(live); lose1(wanted);
        heard = 0; effect = 0;
        if
        :: isGone = true           /* nobody starts it again */
        :: skip
        :: tail != HEAD && !hadPowerLoss ->
            /* `process` durability: the unsynced tail is lost, which is declared; HOLE makes the sequences jump (§7). */
            hadPowerLoss = true;
            if
            :: tail == EFFECT -> kept = kept & ~BIT(head); head--
            :: tail == SETTLED -> acked = acked & ~BIT(settlement[cursor]); cursor--
            fi;
            tail = HEAD;
#ifndef MUTANT_SEQUENCE_REUSED
            head = head + JUMP
#endif
        fi }
    :: atomic { !isUp && !isGone -> isUp = true;
        /* Every life asks; without a power loss there is nothing to be found, so that it does not here. */
        if :: hadPowerLoss -> doubted = kept & ~acked :: else fi }
    od
}

/* Serves the journal of a publisher without a process, and says its HEAD, or a lost tail would never be missed. */
active proctype Courier() {
end:
    do
    :: atomic { !isUp && couriering == 0 && nempty(fetch) -> fetch?couriering }
    :: atomic { couriering != 0 -> serve(couriering) }
    :: atomic { !isUp && isHeadDue ->
        isHeadDue = false;
#ifndef MUTANT_COURIER_SAYS_NO_HEAD
        if :: isPending -> send3(live, HEAD, head, cursor) :: else fi
#endif
        }
    :: atomic { crashes < CRASHES && couriering != 0 -> crashes++; couriering = 0; drain1(fetch); lose3(replay) }
    od
}

active proctype Clock() {
end:
    do
    :: atomic { !isHeadDue && !isTailDue && (isPending || trimmed < numbers) && isPeriodOver ->
        isHeadDue = true; isTailDue = true }
    od
}

/* Past what the cursor says is settled. */
inline advance(next) { do :: settled & BIT(next) -> next++ :: else -> break od }

active proctype Recipient() {
    mtype kind; byte a, b;
    byte next = 1;                /* handed over next */
#ifdef MUTANT_SPLIT_CURSOR
    byte uncommitted;
#endif
end:
    do
    /* Replay before live (§7). */
    :: atomic { nempty(replay) || nempty(live) ->
        if
        :: nempty(replay) -> replay?kind, a, b
        :: empty(replay) -> live?kind, a, b
        fi;
        if
        :: kind == EFFECT && a == next ->
            /* §6: a settled effect is never handled again. */
            assert(!(journaled & BIT(a)));
            /* §6: started in order per stream, none left out: everything before it is settled, running, or nobody's. */
            assert((kept & ~acked & ~journaled & ~open & (BIT(a) - 1)) == 0);
            handled[b] = handled[b] | BIT(a); open = open | BIT(a); next++; advance(next)
        :: kind == GONE && a == next ->
            /* §2.5: nothing is lost in silence: what is passed over is settled, or was declared lost. */
            assert(!(kept & ~acked & BIT(a)));
            next++; advance(next)
        :: (kind == EFFECT || kind == GONE) && a != next -> if :: a > next -> ask(fetch, next) :: else fi
        :: kind == HEAD ->
            if :: b > trimmed -> trimmed = b :: else fi;
            if :: a >= next -> ask(fetch, next) :: else fi
        fi; a = 0; b = 0; kind = 0 }
    :: atomic { nempty(wanted) ->
        wanted?a;
        /* §6: HEAD acknowledges only what is journaled, so what the publisher lacks is still here, but for what the power took. */
        assert(a > trimmed || a <= cursor || hadPowerLoss);
        if
        :: a == 0 ->
            b = 1; advance(b);
            if :: trimmed < numbers -> tell( WORD, numbers, b - 1) :: else -> tell( WORD, 0, b - 1) fi; b = 0
        :: a > trimmed -> tell( SETTLED, a, settlement[a])
        :: a > 0 && a <= trimmed -> tell( GONE, a, 0)
        fi; a = 0 }
    /* SETTLED and the cursor are one batch (§6); then it is published. */
    :: atomic { open != 0 && unsaid == 0 ->
        if
        :: open & BIT(1) -> a = 1
        :: open & BIT(2) -> a = 2
        :: open & BIT(3) -> a = 3
        :: open & BIT(4) -> a = 4
        fi;
        numbers++; settlement[numbers] = a; journaled = journaled | BIT(a); open = open & ~BIT(a); unsaid = numbers;
#ifdef MUTANT_SPLIT_CURSOR
        uncommitted = a;
#else
        settled = settled | BIT(a);
#endif
        a = 0 }
#ifdef MUTANT_SPLIT_CURSOR
    :: atomic { uncommitted != 0 -> settled = settled | BIT(uncommitted); uncommitted = 0 }
#endif
    :: atomic { unsaid != 0 -> if :: tell( SETTLED, unsaid, settlement[unsaid]) :: skip fi; unsaid = 0 }
    /* HEAD of the settlement stream. */
    :: atomic { isTailDue ->
        isTailDue = false;
        if :: trimmed < numbers -> tell( HEAD, numbers, 0) :: else fi }
    :: atomic { crashes < CRASHES -> crashes++; open = 0; unsaid = 0; next = 1; advance(next);
#ifdef MUTANT_SPLIT_CURSOR
        uncommitted = 0;
#endif
        drain3(live); drain3(replay); lose3(back); lose1(fetch); drain1(wanted) }
    od
}

/* Once the crashes have stopped, every accepted effect is settled and every settlement acknowledged; if its publisher never
   comes back, every accepted effect is settled all the same. */
ltl settles { <> booksBalance }
