/* Membership: a recipient X is added, removed and added again while a publisher speaks and dies (Sources/Relux/Relux.docc/Design.md).
 *
 * The broker's word has versions: 0 {}, 1 {X}, 2 {}, 3 {X}. X of version 3 is a new one: new incarnation, new journal. The
 * publisher may learn a version late or skip it, and may be down at any of them. That frames which were lost are repaired is
 * shown in repair.pml; here they are only delayed, and an acknowledgement is read from the publisher's journal.
 *
 * Bounds: EFFECTS effects of one stream, four versions, CRASHES crashes of the publisher and X in all.
 *
 * Of the code: BusCore+Membership (pictures, MEMBER, the sweep, since when somebody is a member), Ledger (recipients, fixed at the
 * append; `isServed` of a retired journal), Epoch (`start`, the numbers of a new incarnation), CourierQuestion (`retired`).
 * Left out: loss and repair of frames (repair.pml); how the broker comes to a version, its own death (Registry, pure, and its file);
 * eviction, which settles as a removal does without one; waiting for room; places, which is the order in which modules were
 * registered (ties between names, no matter of delivery); start barriers, which keep users out and concern the ingress alone;
 * `instanceEnded` and the other facts of the broker, which are effects like any others.
 */
#ifndef EFFECTS
#define EFFECTS 3
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#define BIT(sequence) (1 << (sequence))
#define NONE 9
/* Of a version: does it name X, since when is X a member, which life of X is it. */
#define names(v) ((v) == 1 || (v) == 3)
#define lifeAt(v) (names(v) * (((v) + 1) / 2))
#define since(life) (2 * (life) - 1)
/* The publisher: is who was meant at version `said` gone at version `v`? X by name is not enough: it may be another. */
#ifdef MUTANT_READDED_IS_THE_OLD_ONE
#define isOver(said, v) (!names(v))
#else
#define isOver(said, v) (!names(v) || (said) < since(lifeAt(v)))
#endif
/* X: is a record that was said at version `v` from before our time? */
#ifdef MUTANT_NEW_ONE_TAKES_OLD
#define isOld(v) false
#else
#define isOld(v) ((v) < since(life))
#endif
/* The settlement stream of a new incarnation starts at epoch << 40, here at 10 each. */
#ifdef MUTANT_NUMBERS_START_ANEW
#define base(life) 0
#else
#define base(life) (10 * ((life) - 1))
#endif

mtype = { UNSAID, PENDING, SETTLED, LOST, UNHANDLED, EFFECT, GONE };

chan toX  = [1] of { mtype, byte, byte };   /* EFFECT(sequence, member version) GONE(sequence) */
chan back = [1] of { byte, byte, byte };    /* SETTLED: life, number, sequence */
chan late = [1] of { byte, byte, byte };    /* the same from the retired journal of the first X, by the courier */

/* The broker's registry. */
byte version;
byte life;                        /* of X; 0 while it is no member */
/* The publisher's journal. */
byte said, memberVersion;         /* effects; version of the last MEMBER */
mtype fate[EFFECTS + 1] = UNSAID; /* what the books say of an effect and X */
byte saidAt[EFFECTS + 1];         /* its member version: what fixes its recipients */
byte cursor, heardLife;           /* ACKED: number of the last settlement, life that it came from */
/* The journals of both lives of X. */
byte numbers[3], settled[3];
byte settlement[9];               /* of life 1 at 1..., of life 2 at 1 + EFFECTS... */
#define entry(life, number) settlement[((life) - 1) * EFFECTS + (number)]
/* What the publisher remembers. */
byte picture = NONE;              /* the version that it goes by */
bool isSweepDue;
byte startedAt;                   /* ghost: the broker's version at its start */

byte handled[3];                  /* ghost */
byte crashes;

/* An effect ends once, and stays so (§2.5). */
inline conclude(sequence, how) { assert(fate[sequence] == PENDING); fate[sequence] = how }

/* The publisher goes by a version: MEMBER is appended, in order; what pends on who is no recipient any more is swept after. */
inline adopt(v) {
    picture = v;
#ifdef MUTANT_SWEEP_BY_DIFFERENCE
    isSweepDue = (names(memberVersion) && memberVersion != v);
#else
    isSweepDue = true;
#endif
    assert(v >= memberVersion);
    memberVersion = v
}

active proctype Publisher() {
    byte a, number, from;
end:
    do
    /* Started: it has the membership before its first append. */
    :: atomic { picture == NONE -> startedAt = version;
#ifdef MUTANT_STARTS_WITHOUT_MEMBERSHIP
        picture = memberVersion; isSweepDue = true
#else
        adopt(version)
#endif
        }
    /* A later picture; those between may never come. */
    :: atomic { picture != NONE && picture < version ->
        a = picture + 1;
        do :: a < version -> a++ :: break od;
        adopt(a);
#ifdef MUTANT_RECIPIENTS_NOT_FROZEN
        a = 1;
        do
        :: a <= said && fate[a] == UNHANDLED && names(picture) -> fate[a] = PENDING; a++
        :: a <= said && !(fate[a] == UNHANDLED && names(picture)) -> a++
        :: a > said -> break
        od;
#endif
        a = 0 }
    /* §6: removal settles what pended on X as lost(X); so does its return, for what was said before it came back. */
    :: atomic { picture != NONE && isSweepDue ->
        isSweepDue = false; a = 1;
        do
        :: a <= said && fate[a] == PENDING && isOver(saidAt[a], picture) ->
            /* Nothing is declared lost that its recipient could still settle. */
            assert(life != lifeAt(saidAt[a]));
            conclude(a, LOST); a++
        :: a <= said && !(fate[a] == PENDING && isOver(saidAt[a], picture)) -> a++
        :: a > said -> break
        od; a = 0 }
    /* The recipients of an effect are fixed when it is appended (§6). */
    :: atomic { picture != NONE && said < EFFECTS ->
        /* A module is a recipient from the moment the broker has accepted it: who was it at our start is known to us. */
        assert(picture >= startedAt);
        said++; saidAt[said] = picture;
        assert(saidAt[said] >= saidAt[said - 1]);
        if :: names(picture) -> fate[said] = PENDING :: else -> fate[said] = UNHANDLED fi }
    /* SETTLED of X: in the order of its stream, frames of an earlier life dropped; ACKED is one record. */
    :: atomic { picture != NONE && (nempty(back) || nempty(late)) ->
        if :: nempty(back) -> back?from, number, a :: nempty(late) -> late?from, number, a fi;
        if
        :: from >= heardLife && (number == cursor + 1 || (from > heardLife && number == base(from) + 1 && number > cursor)) ->
            heardLife = from; cursor = number;
            if
            :: fate[a] == PENDING ->
                /* What is settled was handled, by the X for which it was said. */
                assert(lifeAt(saidAt[a]) == from && (handled[from] & BIT(a)));
                conclude(a, SETTLED)
            :: else               /* lost by removal while the settlement was on its way */
            fi
        :: else
        fi; a = 0; number = 0; from = 0 }
    :: atomic { crashes < CRASHES && picture != NONE -> crashes++; picture = NONE; isSweepDue = false; startedAt = 0;
        do :: nempty(back) -> back?_, _, _ :: empty(back) -> break od }
    od
}

/* Publisher or courier: answers from the publisher's journal what X asks for, the member version with each record. */
byte next = 1;                    /* X: handed over next */
active proctype Replay() {
end:
    do
    :: atomic { life != 0 && empty(toX) && next <= said ->
        if
        :: fate[next] == PENDING -> toX!EFFECT, next, saidAt[next]
        :: fate[next] != PENDING -> toX!GONE, next, 0
        fi }
    od
}

active proctype X() {
    mtype kind; byte a, v;
end:
    do
    :: atomic { life != 0 && nempty(toX) -> toX?kind, a, v;
        if
        :: a != next                                      /* for the X before */
        :: a == next && (kind == GONE || (settled[life] & BIT(a))) -> next++
        :: a == next && kind == EFFECT && !(settled[life] & BIT(a)) && isOld(v) -> next++
        :: a == next && kind == EFFECT && !(settled[life] & BIT(a)) && !isOld(v) ->
            /* A new recipient starts at the first MEMBER that names it; nothing of its predecessor's reaches it. */
            assert(lifeAt(saidAt[a]) == life);
            assert(!(handled[1] & BIT(a)) && !(handled[2] & BIT(a)));
            handled[life] = handled[life] | BIT(a); settled[life] = settled[life] | BIT(a);
            numbers[life]++; entry(life, numbers[life]) = a; next++
        fi; kind = 0; a = 0; v = 0 }
    /* Said until it is acknowledged. */
    :: atomic { life != 0 && picture != NONE && empty(back) && numbers[life] > 0 && cursor < base(life) + numbers[life] ->
        if :: cursor > base(life) -> a = cursor - base(life) + 1 :: else -> a = 1 fi;
        back!life, base(life) + a, entry(life, a); a = 0 }
    :: atomic { crashes < CRASHES && life != 0 && next > 1 -> crashes++; next = 1 }
    od
}

/* A frame of the first X may be late; its retired journal is served as well. */
active proctype Courier() {
    byte a = 1;
end:
    do
    :: atomic { version >= 2 && a <= numbers[1] && empty(late) -> late!1, a, entry(1, a); a++ }
    od
}

active proctype Broker() {
    do
    :: atomic { version < 3 -> version++; life = lifeAt(version); next = 1;
        if :: nempty(toX) -> toX?_, _, _ :: skip fi }
    :: version == 3 -> break
    od
}

/* Whatever was said ends: settled, lost by removal, or unhandled; nothing pends for ever. */
#define isPending(sequence) (fate[sequence] == UNSAID || fate[sequence] == PENDING)
ltl ends { <> (version == 3 && !isPending(1) && !isPending(2) && !isPending(EFFECTS)) }
