/* Hand-over: hot upgrade of one module from an old to a new host, epochs, and the state that survives (Sources/Relux/Relux.docc/Design.md, LifeOfAModule.md).
 *
 * Effects wait for the module from the start. Old serves; the broker starts new in standby and orders the cut-over once, at
 * any moment. Journal, lock and registry survive; the lock ends with its process. What the broker has seen and its orders may
 * be stale, and get lost in its crash; once it may take a living old one for dead. That frames are repaired is in repair.pml.
 *
 * Bounds: EFFECTS effects with overlapping handlers, one upgrade, CRASHES crashes of old, new and broker in all, a successor
 * for each that dies; the drain ends each handler or cancels it.
 *
 * Of the code: the broker's Handover and Registry+Handover… (orders, READY in the registry before anybody writes), the host's
 * HostMachine+Leaving, HostRuntime+HandOver and BusCore+HandOver (cut-over, SEAL, standby), ModuleJournals (lock, epoch), StateKeeper and CaptureBook
 * (what is captured with which settlement), SnapshotRouter (the member).
 * Left out: which handlers a drain still finishes, which are those that a running one waits for (Party.yield; the model ends or
 * cancels each), and its limit; rollback, which is the same hand-over to a build that reads the older shape (`schema` shows why it
 * must); a module that leaves a shared host, whose neighbours share nothing with it but the process; markers and READY of the new
 * endpoint (Tests/ReluxBusTests/Conformance/HandOvers.swift); start barriers, places and facts of the broker, such as `instanceEnded`: they follow from who
 * serves and decide nothing here; the supervisor's ladder (StopLadder); loss of frames (repair.pml).
 */
/* At most two: as many as are settled in any order below. */
#ifndef EFFECTS
#define EFFECTS 2
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#define ALL ((1 << EFFECTS) - 1)
#define OLD 0
#define NEW 1
#define NOBODY 2

mtype = { UNSEEN, DOWN, STANDBY, LOCKED, RESTORED, GRANTED, READY, DRAINING, CAPTURED, SEALED };
mtype = { NOTHING, SERVE, PROCEED, CUTOVER, EXIT };

/* The module's journal. Sets of effects are bits. */
byte lock = NOBODY;
byte lastEpoch, settled;
byte captured, reduced;           /* STATE: effects in it; those of them not settled, whose re-run skips the reducer */
byte schema = OLD;                /* whose snapshot type it has: new migrates old's, old cannot read new's */
/* The registry's journal. */
byte epochs, current = OLD;
bool isUpgrading, wasUpgraded;
/* Remembered by an instance. */
mtype phase[2] = DOWN, order[2] = NOTHING;
byte epoch[2], state[2], done[2], open[2];
bool isUnsaid[2], isUncaptured[2];
/* Remembered by the broker. */
mtype seen[2] = UNSEEN;
bool hasSuspected;
/* A member that hears snapshots of both hosts, each on its own connection. */
chan frames[2] = [1] of { byte, byte };  /* epoch, state */
byte crashes;

#ifdef MUTANT_NO_LOCK
#define isFree true
#else
#define isFree (lock == NOBODY)
#endif
#define isLate(i) ((order[i] == SERVE && phase[i] != STANDBY && phase[i] != SEALED) \
    || (order[i] == PROCEED && phase[i] != GRANTED) || (order[i] == CUTOVER && phase[i] != READY) \
    || (order[i] == EXIT && phase[i] != SEALED))

inline capture(i) { captured = state[i]; reduced = state[i] & ~done[i]; schema = i }

inline append(i) {
    /* §7: one writer; §3: epochs only rise. */
    assert(lock == i && epoch[i] >= lastEpoch);
    lastEpoch = epoch[i]
}

inline stop(i) {
    phase[i] = DOWN; order[i] = NOTHING; epoch[i] = 0; state[i] = 0; done[i] = 0; open[i] = 0;
    isUnsaid[i] = false; isUncaptured[i] = false
}

active [2] proctype Instance() {
    byte i, e;
    i = _pid;
end:
    do
    :: atomic { phase[i] == STANDBY && order[i] == SERVE && isFree -> lock = i; order[i] = NOTHING;
#ifdef MUTANT_SERVES_BEFORE_READING
        phase[i] = RESTORED }
    :: atomic { phase[i] == STANDBY && done[i] != settled -> done[i] = settled; state[i] = captured }
#else
        phase[i] = LOCKED }
#endif
    /* Reads the rest, restores. */
    :: atomic { phase[i] == LOCKED ->
        /* §8: a failure before READY leaves the old one serving: nothing that it cannot read was written. */
        assert(i == NEW || schema == OLD);
        /* §6: the state equals exactly the settled prefix; what was reduced beyond is listed. */
        assert((captured & ~reduced) == settled);
        done[i] = settled; state[i] = captured; phase[i] = RESTORED }
    :: atomic { phase[i] == RESTORED -> epochs++; epoch[i] = epochs;
#ifdef MUTANT_SERVES_BEFORE_THE_REGISTRY_KNOWS
        if :: i == NEW -> phase[i] = READY :: i == OLD -> phase[i] = GRANTED fi }
#else
        phase[i] = GRANTED }
#endif
    /* The registry has journaled who serves. */
    :: atomic { phase[i] == GRANTED && order[i] == PROCEED -> order[i] = NOTHING; phase[i] = READY }
    /* Started in order. */
    :: atomic { phase[i] == READY && (ALL & ~done[i] & ~open[i]) != 0 ->
        e = 1;
        do :: (done[i] | open[i]) & e -> e = e << 1 :: else -> break od;
        /* §6: a settled effect is never handled again. */
        assert(!(settled & e));
        open[i] = open[i] | e; state[i] = state[i] | e; e = 0 }
    /* SETTLED and the state that depends on it are one batch, then they are published (§6). */
    :: atomic { (phase[i] == READY || phase[i] == DRAINING) && open[i] != 0 && !isUnsaid[i] && !isUncaptured[i] ->
        if :: open[i] & 1 -> e = 1 :: open[i] & 2 -> e = 2 fi;
        append(i);
        assert(!(settled & e));
        settled = settled | e; done[i] = done[i] | e; open[i] = open[i] & ~e; isUnsaid[i] = true; e = 0;
#ifdef MUTANT_CAPTURED_AFTER_SETTLEMENT
        isUncaptured[i] = true }
    :: atomic { isUncaptured[i] && !isUnsaid[i] -> isUncaptured[i] = false; append(i); capture(i) }
#else
        capture(i) }
#endif
    :: atomic { isUnsaid[i] ->
        isUnsaid[i] = false;
        if :: nfull(frames[i]) -> frames[i]!epoch[i], captured :: skip fi }
    /* The cut-over: admission stops, the handlers end or are cancelled, SNAPSHOT, SEAL, unlock. */
    :: atomic { phase[i] == READY && order[i] == CUTOVER -> order[i] = NOTHING; phase[i] = DRAINING }
    :: atomic { phase[i] == DRAINING && !isUnsaid[i] && !isUncaptured[i] -> open[i] = 0; append(i); capture(i);
#ifdef MUTANT_SNAPSHOT_LISTS_NOTHING
        reduced = 0;
#endif
        phase[i] = CAPTURED }
    :: atomic { phase[i] == CAPTURED -> append(i); lock = NOBODY; phase[i] = SEALED }
    /* Sealed, it waits: it goes when the new one serves, and serves again when that has failed. */
    :: atomic { phase[i] == SEALED && order[i] == SERVE -> phase[i] = STANDBY; epoch[i] = 0; state[i] = 0; done[i] = 0 }
    :: atomic { phase[i] == SEALED && order[i] == EXIT -> stop(i) }
    /* An order that came too late. */
    :: atomic { isLate(i) -> order[i] = NOTHING }
    :: atomic { crashes < CRASHES && phase[i] != DOWN -> crashes++; stop(i);
        if :: lock == i -> lock = NOBODY :: else fi }
    od
}

inline tell(i, what) { order[i] = what; seen[i] = UNSEEN }
inline start(i) { phase[i] = STANDBY; order[i] = SERVE; seen[i] = UNSEEN }

#define knowsAnything (seen[OLD] != UNSEEN || seen[NEW] != UNSEEN || order[OLD] != NOTHING || order[NEW] != NOTHING)

active proctype Broker() {
    byte i;
end:
    do
    :: atomic { seen[OLD] != phase[OLD] -> seen[OLD] = phase[OLD] }
    :: atomic { seen[NEW] != phase[NEW] -> seen[NEW] = phase[NEW] }
    :: atomic { !hasSuspected && isUpgrading && phase[OLD] != DOWN -> hasSuspected = true; seen[OLD] = DOWN }
    /* A successor starts only when its predecessor has been reaped: `phase` is the truth, not what was seen (§9). */
    :: atomic { phase[current] == DOWN && !isUpgrading -> start(current) }
    :: atomic { !wasUpgraded && seen[OLD] == READY ->
        wasUpgraded = true; isUpgrading = true; phase[NEW] = STANDBY; seen[NEW] = UNSEEN }
    :: atomic { isUpgrading && seen[NEW] == STANDBY && seen[OLD] == READY && order[OLD] == NOTHING -> tell(OLD, CUTOVER) }
    :: atomic { isUpgrading && seen[NEW] == STANDBY && (seen[OLD] == SEALED || seen[OLD] == DOWN) && order[NEW] == NOTHING ->
        tell(NEW, SERVE) }
    /* READY: journaled before the new one may write. From here on there is no way back to the old one. */
    :: atomic { isUpgrading && seen[NEW] == GRANTED -> current = NEW; isUpgrading = false }
    :: atomic { seen[current] == GRANTED && order[current] == NOTHING -> tell(current, PROCEED) }
    :: atomic { current == NEW && seen[OLD] == SEALED && order[OLD] == NOTHING -> tell(OLD, EXIT) }
    /* A failure before READY. */
    :: atomic { isUpgrading && phase[NEW] == DOWN -> isUpgrading = false }
    :: atomic { !isUpgrading && (seen[current] == SEALED || seen[current] == STANDBY) && order[current] == NOTHING ->
        tell(current, SERVE) }
    :: atomic { crashes < CRASHES && knowsAnything ->
        crashes++; seen[OLD] = UNSEEN; seen[NEW] = UNSEEN;
        if :: order[OLD] = NOTHING; order[NEW] = NOTHING :: skip fi }
    od
}

active proctype Member() {
    byte e, s, heard, view;
end:
    do
    :: atomic { nempty(frames[OLD]) || nempty(frames[NEW]) ->
        if :: nempty(frames[OLD]) -> frames[OLD]?e, s :: nempty(frames[NEW]) -> frames[NEW]?e, s fi;
        if
#ifdef MUTANT_LOWER_EPOCH_ACCEPTED
        :: true ->
#else
        :: e < heard              /* dropped and counted (§8) */
        :: e >= heard ->
#endif
            heard = e;
            /* §6: snapshots are conflated to the latest; none goes back behind one that was seen. */
            assert((view & ~s) == 0);
            view = s
        fi; e = 0; s = 0 }
    od
}

/* Once the crashes have stopped, one of them serves for good and every effect is settled. */
ltl serves { <> [] (settled == ALL && (phase[OLD] == READY || phase[NEW] == READY)) }
