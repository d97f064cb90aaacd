------------------------------ MODULE HandOff ------------------------------
(* One lock name inside one JVM: callers in line, one claim at the store for the first of them, and a grant that is handed on from
   one to the next with a fencing token of its block. All other JVMs are one holder at the store, "others". The store grants to
   whoever asks when the name is free. The machine may be suspended, which its monotonic clock does not count. *)
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS
  Callers, None,
  MaxT,         \* ticks of the clock
  MaxGrants,    \* grants of the store
  MaxSuspend,   \* ticks in suspension
  MaxForce,     \* releases by force, which may take the lock from who is told only later: fences alone help then
  Lease,        \* in ticks
  Block,        \* tokens of a grant
  Margin,       \* how much earlier than the store a JVM takes its lease for ended
  \* What follows has one right value, the first; the others are defects
  Early,        \* TRUE: the margin comes before the end of the lease at the store. FALSE: after it
  ConfirmFirst, \* TRUE: a grant from before a suspension is confirmed before a caller is told of it. FALSE: after that
  Bounded,      \* TRUE: a grant is handed on until its block is used up. FALSE: for as long as its lease lasts
  Counts,       \* TRUE: each caller gets a token of its own
  SeesLoss,     \* TRUE: what was lost is not handed on
  SeesEnd,      \* TRUE: a lease that has ended is not handed on, nor one from before a suspension
  ForFirst,     \* TRUE: when a grant goes back, the first in line claims anew
  ForNext       \* TRUE: when the first in line gives up, and its claim with it, the next one claims
VARIABLES now, mono, store, cl, line, claim, lease, free, seen, forced
vars == <<now, mono, store, cl, line, claim, lease, free, seen, forced>>

Perms == Permutations(Callers)
Max(a, b) == IF a > b THEN a ELSE b
Gap == now - mono  \* wall clock minus monotonic clock
Until(from) == IF Early THEN from + Lease - Margin ELSE from + Lease + Margin

(* who: holds at the store under this fence h until exp. *)
(* claim.st: "none", "asked", "answered" with the fence h. sent, gap: when, by the monotonic clock, and what the clocks' gap was. *)
NoClaim == [st |-> "none", h |-> 0, sent |-> 0, gap |-> 0]
(* The lease of this JVM: h and i make the token. lost: the store has said that it is gone. *)
NoLease == [h |-> 0, i |-> 0, deadline |-> 0, gap |-> 0, holder |-> None, lost |-> FALSE, confirming |-> FALSE]
Init == /\ now = 0 /\ mono = 0 /\ store = [who |-> None, exp |-> 0, h |-> 0]
        /\ cl = [c \in Callers |-> "idle"] /\ line = <<>> /\ claim = NoClaim /\ lease = NoLease
        /\ free = {}  \* grants that are being given back
        /\ seen = [top |-> 0, fell |-> FALSE, blind |-> FALSE, lost |-> FALSE] /\ forced = 0

Parted(gap) == gap # Gap
OursAt(h) == store.who = "us" /\ store.h = h /\ now < store.exp
\* What a caller's handle answers when it is asked
Valid(c) == cl[c] = "held" /\ lease.holder = c /\ ~lease.lost /\ ~lease.confirming /\ mono < lease.deadline /\ ~Parted(lease.gap)

(* A caller is told, and its body begins. *)
Tell(c, l) ==
  LET token == l.h * Block + l.i IN
  seen' = [top |-> Max(seen.top, token), fell |-> seen.fell \/ token <= seen.top, blind |-> seen.blind \/ ~OursAt(l.h),
           lost |-> seen.lost \/ l.lost]

----------------------------------------------------------------------------
(* The line, and the claim for its first: Admission, Claims, ClaimAnswers *)

Asked == [st |-> "asked", h |-> 0, sent |-> mono, gap |-> Gap]
ClaimFor(l) == IF l # <<>> THEN Asked ELSE NoClaim

Enter(c) ==
  /\ cl[c] = "idle" /\ cl' = [cl EXCEPT ![c] = "waiting"] /\ line' = Append(line, c)
  /\ claim' = IF (lease.holder = None \/ lease.lost) /\ claim.st = "none" THEN Asked ELSE claim
  /\ UNCHANGED <<now, mono, store, lease, free, seen, forced>>

StoreGrants ==
  /\ claim.st = "asked" /\ (store.who = None \/ now >= store.exp) /\ store.h < MaxGrants
  /\ store' = [who |-> "us", exp |-> now + Lease, h |-> store.h + 1]
  /\ claim' = [claim EXCEPT !.st = "answered", !.h = store.h + 1]
  /\ UNCHANGED <<now, mono, cl, line, lease, free, seen, forced>>

Made(deadline, gap, confirming) ==
  [h |-> claim.h, i |-> 0, deadline |-> deadline, gap |-> gap, holder |-> Head(line), lost |-> FALSE, confirming |-> confirming]
\* The answer. One that is as good as over is given back; so is one that nobody wants any more.
Answer ==
  LET until == Until(claim.sent)
      first == Head(line)
  IN /\ claim.st = "answered"
     /\ IF line = <<>> \/ mono >= until
        THEN /\ free' = free \cup {claim.h} /\ claim' = ClaimFor(line) /\ UNCHANGED <<store, cl, line, lease, seen>>
        ELSE IF Parted(claim.gap) /\ ConfirmFirst
        THEN IF OursAt(claim.h)  \* Renewals.confirm: the store is asked, and keeps it for a whole lease
             THEN /\ store' = [store EXCEPT !.exp = now + Lease]
                  /\ lease' = Made(Until(mono), Gap, FALSE) /\ Tell(first, Made(0, 0, FALSE))
                  /\ cl' = [cl EXCEPT ![first] = "held"] /\ line' = Tail(line) /\ claim' = NoClaim /\ UNCHANGED free
             ELSE free' = free \cup {claim.h} /\ claim' = Asked /\ UNCHANGED <<store, cl, line, lease, seen>>
        ELSE /\ lease' = Made(until, claim.gap, Parted(claim.gap)) /\ Tell(first, Made(0, 0, FALSE))
             /\ cl' = [cl EXCEPT ![first] = "held"] /\ line' = Tail(line) /\ claim' = NoClaim /\ UNCHANGED <<store, free>>
     /\ UNCHANGED <<now, mono, forced>>

\* Admission.giveUp: a claim goes with the first in line, unless there is a next one whom it suits just as well
GiveUp(c) ==
  /\ cl[c] = "waiting" /\ cl' = [cl EXCEPT ![c] = "done"]
  /\ line' = SelectSeq(line, LAMBDA x : x # c)
  /\ IF Head(line) = c /\ claim.st # "none"
     THEN \E suits \in {TRUE, FALSE} :
            IF suits /\ line' # <<>> THEN UNCHANGED <<claim, free>>
            ELSE /\ free' = IF claim.st = "answered" THEN free \cup {claim.h} ELSE free
                 /\ claim' = IF ForNext THEN ClaimFor(line') ELSE NoClaim
     ELSE UNCHANGED <<claim, free>>
  /\ UNCHANGED <<now, mono, store, lease, seen, forced>>

----------------------------------------------------------------------------
(* What becomes of the lease: Renewals, Losses, HandOver *)

\* A renewal, and what it finds
Renew ==
  /\ lease.holder # None /\ ~lease.lost /\ mono < lease.deadline
  /\ IF OursAt(lease.h)
     THEN /\ store' = [store EXCEPT !.exp = now + Lease]
          /\ lease' = [lease EXCEPT !.deadline = Until(mono), !.gap = Gap, !.confirming = FALSE] /\ UNCHANGED claim
     ELSE lease' = [lease EXCEPT !.lost = TRUE] /\ claim' = ClaimFor(line) /\ UNCHANGED store
  /\ UNCHANGED <<now, mono, cl, line, free, seen, forced>>
\* The deadline passes without an answer
Lose ==
  /\ lease.holder # None /\ ~lease.lost /\ mono >= lease.deadline
  /\ lease' = [lease EXCEPT !.lost = TRUE] /\ claim' = ClaimFor(line)
  /\ UNCHANGED <<now, mono, store, cl, line, free, seen, forced>>

MayPass ==
  /\ line # <<>>
  /\ SeesLoss => (claim.st = "none" /\ ~lease.lost)
  /\ SeesEnd => (mono < lease.deadline /\ ~Parted(lease.gap) /\ ~lease.confirming)
  /\ Bounded => lease.i + 1 < Block
\* HandOver.ended: on to the next in line, or back to the store
End(c) ==
  /\ cl[c] = "held" /\ lease.holder = c
  /\ cl' = [x \in Callers |-> IF x = c THEN "done" ELSE IF MayPass /\ x = Head(line) THEN "held" ELSE cl[x]]
  /\ IF MayPass
     THEN LET next == [lease EXCEPT !.i = IF Counts THEN @ + 1 ELSE @, !.holder = Head(line)] IN
          lease' = next /\ line' = Tail(line) /\ Tell(Head(line), next) /\ UNCHANGED <<claim, free>>
     ELSE /\ lease' = NoLease /\ free' = free \cup {lease.h} /\ UNCHANGED <<line, seen>>
          /\ claim' = IF claim.st # "none" THEN claim ELSE IF ForFirst THEN ClaimFor(line) ELSE NoClaim
  /\ UNCHANGED <<now, mono, store, forced>>

\* Releases: what is given back reaches the store
StoreFrees(h) ==
  /\ free' = free \ {h} /\ store' = IF store.h = h /\ store.who = "us" THEN [store EXCEPT !.who = None] ELSE store
  /\ UNCHANGED <<now, mono, cl, line, claim, lease, seen, forced>>

----------------------------------------------------------------------------
(* Others, and time *)

OthersTake == /\ (store.who = None \/ now >= store.exp) /\ store.h < MaxGrants
              /\ store' = [who |-> "others", exp |-> now + Lease, h |-> store.h + 1]
              /\ seen' = [seen EXCEPT !.fell = @ \/ (store.h + 1) * Block <= seen.top, !.top = Max(@, (store.h + 1) * Block)]
              /\ UNCHANGED <<now, mono, cl, line, claim, lease, free, forced>>
OthersFree == /\ store.who = "others" /\ store' = [store EXCEPT !.who = None]
              /\ UNCHANGED <<now, mono, cl, line, claim, lease, free, seen, forced>>
\* An operator ends the grant by force: the JVM hears of it at once, or when it renews
Force == /\ forced < MaxForce /\ forced' = forced + 1 /\ store.who = "us"
         /\ store' = [store EXCEPT !.who = None, !.h = @ + 1]
         /\ \/ UNCHANGED <<lease, claim>>
            \/ /\ lease.holder # None /\ lease.h = store.h /\ ~lease.lost
               /\ lease' = [lease EXCEPT !.lost = TRUE] /\ claim' = ClaimFor(line)
         /\ UNCHANGED <<now, mono, cl, line, free, seen>>
Tick == now < MaxT /\ now' = now + 1 /\ mono' = mono + 1 /\ UNCHANGED <<store, cl, line, claim, lease, free, seen, forced>>
Suspend == /\ now < MaxT /\ Gap < MaxSuspend /\ now' = now + 1
           /\ UNCHANGED <<mono, store, cl, line, claim, lease, free, seen, forced>>

Next == \/ \E c \in Callers : Enter(c) \/ GiveUp(c) \/ End(c)
        \/ StoreGrants \/ Answer \/ Renew \/ Lose \/ (\E h \in free : StoreFrees(h))
        \/ OthersTake \/ OthersFree \/ Force \/ Tick \/ Suspend
Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* No two callers hold, and none while others hold. *)
OneHolder == /\ \A a, b \in Callers : a # b => ~(cl[a] = "held" /\ cl[b] = "held" /\ Valid(a) /\ Valid(b))
             /\ (\E c \in Callers : Valid(c)) => ~(store.who = "others" /\ now < store.exp)
FencesRise == ~seen.fell
(* Whoever begins has the lock at the store at that moment. *)
BeginsAsHolder == ~seen.blind
(* Nobody begins under what is known to be lost. *)
LossEnds == ~seen.lost
(* Nobody in this JVM holds and somebody waits: then a claim for the first in line is under way. *)
NobodyForgotten == (line # <<>> /\ (lease.holder = None \/ lease.lost)) => claim.st # "none"
=============================================================================
