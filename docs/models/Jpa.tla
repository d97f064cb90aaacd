-------------------------------- MODULE Jpa --------------------------------
(* One lock name in a database, strategy "lease": the name's row and the queue in the table of claims. A client is a JVM with one
   claim. Each statement or short transaction is one step, since it locks the name's row. All times in the tables are the
   database's, whose clock may be set back.

   A statement may be executed at any time after it was sent, or never. A result that was lost is, for the client, a statement that
   is executed after it went on. *)
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS
  Clients, None,
  MaxT,        \* ticks of the clock
  MaxAsk,      \* statements of each client that ask or renew
  MaxBack,     \* how often the database's clock is set back by a tick
  MaxDeath,    \* clients that die
  Lease,       \* in ticks
  Alive,       \* for so long a place in the queue counts without being refreshed
  Timeout,     \* for so long a statement that asks counts after it was sent
  PurgeAfter,  \* for so long a row has to be idle before it is dropped, longer than the clock is ever set back
  Floor,       \* a fence is at least so many times the database's clock
  KeepFor,     \* for so long a name stays taken after its holder has finished (holdAtLeast)
  Margin,      \* how much earlier than the database a client takes its lease for ended
  \* What follows has one right value, the first; the others are defects
  Early,       \* TRUE: the margin comes before the end of the lease in the database. FALSE: after it
  Locks,       \* TRUE: the contended step locks the name's row before it reads
  Guards,      \* TRUE: a late request does nothing
  LastWord,    \* TRUE: a withdrawal is repeated when no request of the claim can count any longer
  OwnOnly,     \* TRUE: a release touches only what carries its token
  Revives,     \* FALSE: a renewal never makes a grant anew
  Prolongs,    \* FALSE: a renewal leaves alone what has finished and only keeps its name
  Fence,       \* "above": above the last one and not behind the clock. "clock": the clock alone
  Purge,       \* "passed": only rows whose fence the clock has passed. "idle": any that nobody holds
  Polls        \* TRUE: who waits looks again after a while
VARIABLES now, back, row, cl, reqs, deaths, over, seen
vars == <<now, back, row, cl, reqs, deaths, over, seen>>

Perms == Permutations(Clients)
Max(a, b) == IF a > b THEN a ELSE b
Clock == now - back  \* the database's

(* keeps: the end that was set when the holder finished; 0 while it has not. q: places in the queue by ticket. *)
NoRow == [token |-> None, exp |-> 0, since |-> 0, fence |-> 0, keeps |-> 0, q |-> <<>>]
(* guard: until when, by the database's clock, its last request counts. doubt: one was never answered. *)
New == [st |-> "idle", valid |-> 0, fence |-> 0, asks |-> 0, wants |-> FALSE, poll |-> FALSE, doubt |-> FALSE, guard |-> 0]
Init == /\ now = 1 /\ back = 0 /\ row = NoRow /\ cl = [c \in Clients |-> New] /\ reqs = {} /\ deaths = 0
        /\ over = {}  \* claims of which nothing may be left; nothing reads it but an invariant
        /\ seen = [top |-> 0, fell |-> FALSE]
Valid(c) == cl[c].st = "held" /\ now < cl[c].valid
Until(from) == IF Early THEN from + Lease - Margin ELSE from + Lease + Margin

----------------------------------------------------------------------------
(* Statements *)

Held(d) == d.token # None /\ d.exp > Clock
Queue(d, c) == SelectSeq(d.q, LAMBDA w : w.until > Clock \/ w.c = c)  \* without places that have died
Place(q, c) == {i \in 1..Len(q) : q[i].c = c}
Without(q, c) == SelectSeq(q, LAMBDA w : w.c # c)
NextFence(d) == IF Fence = "clock" THEN Floor * Clock ELSE Max(d.fence + 1, Floor * Clock)
Take(d, c) == [d EXCEPT !.token = c, !.exp = Clock + Lease, !.since = Clock, !.fence = NextFence(d), !.keeps = 0, !.q = Without(@, c)]
Again(d) == [d EXCEPT !.exp = Max(@, Clock + Lease)]

Set(c, r) == cl' = [cl EXCEPT ![c] = r]
Awaited(r) == cl[r.c].st = "waiting" /\ cl[r.c].wants /\ cl[r.c].asks = r.n
Granted(r, f) ==
  LET c == r.c IN
  IF ~Awaited(r) THEN UNCHANGED <<cl, seen>>
  ELSE /\ Set(c, [cl[c] EXCEPT !.st = "held", !.wants = FALSE, !.fence = f, !.valid = Until(r.sent)])
       /\ seen' = [fell |-> seen.fell \/ f <= seen.top, top |-> Max(seen.top, f)]
Waits(r) == /\ IF Awaited(r) THEN Set(r.c, [cl[r.c] EXCEPT !.wants = FALSE, !.poll = Polls]) ELSE UNCHANGED cl
            /\ UNCHANGED seen
InTime(r) == Guards => Clock <= r.guard

\* UncontendedAcquire: one conditional UPDATE
ServeTake(r) ==
  LET c == r.c
      own == Held(row) /\ row.token = c /\ row.keeps = 0
      free == ~Held(row) /\ \A i \in 1..Len(row.q) : row.q[i].until <= Clock
  IN /\ r.t = "take" /\ reqs' = reqs \ {r}
     /\ IF InTime(r) /\ (own \/ free)
        THEN /\ row' = IF own THEN Again(row) ELSE Take(row, c)
             /\ Granted(r, row'.fence)
        ELSE UNCHANGED row /\ Waits(r)
     /\ UNCHANGED <<now, back, deaths, over>>

\* ContendedAcquire: d is what the transaction has read of the row
Turn(r, d) ==
  LET c == r.c
      own == Held(d) /\ d.token = c /\ d.keeps = 0
      q == Queue(d, c)
      first == q = <<>> \/ Head(q).c = c
      place == [c |-> c, until |-> Clock + Alive]
  IN IF ~InTime(r) THEN UNCHANGED row /\ Waits(r)
     ELSE IF own THEN row' = Again(row) /\ Granted(r, d.fence)
     ELSE IF ~Held(d) /\ first THEN row' = Take([row EXCEPT !.q = q], c) /\ Granted(r, row'.fence)
     ELSE /\ row' = [row EXCEPT !.q = IF Place(q, c) = {} THEN Append(q, place) ELSE [q EXCEPT ![CHOOSE i \in Place(q, c) : TRUE] = place]]
          /\ Waits(r)
ServeTurn(r) ==
  /\ r.t = "turn" /\ Locks /\ Turn(r, row) /\ reqs' = reqs \ {r}
  /\ UNCHANGED <<now, back, deaths, over>>
\* The defect: it reads, and others come before it writes
ReadTurn(r) ==
  /\ r.t = "turn" /\ ~Locks /\ reqs' = (reqs \ {r}) \cup {[r EXCEPT !.t = "turn2"] @@ [read |-> row]}
  /\ UNCHANGED <<now, back, row, cl, deaths, over, seen>>
WriteTurn(r) ==
  /\ r.t = "turn2" /\ Turn(r, r.read) /\ reqs' = reqs \ {r}
  /\ UNCHANGED <<now, back, deaths, over>>

\* LeaseRenewal
ServeRenew(r) ==
  LET c == r.c
      own == Held(row) /\ row.token = c
  IN /\ r.t = "renew" /\ reqs' = reqs \ {r}
     /\ IF own /\ (row.keeps = 0 \/ Prolongs)
        THEN /\ row' = Again(row)
             /\ IF Valid(c) THEN Set(c, [cl[c] EXCEPT !.valid = Max(@, Until(r.sent))]) ELSE UNCHANGED cl
        ELSE IF Revives /\ ~Held(row) THEN row' = [row EXCEPT !.token = c, !.exp = Clock + Lease] /\ UNCHANGED cl
        ELSE UNCHANGED row /\ (IF Valid(c) THEN Set(c, [cl[c] EXCEPT !.st = "done"]) ELSE UNCHANGED cl)
     /\ UNCHANGED <<now, back, deaths, over, seen>>

\* GrantRelease and ClaimRemoval; repeated until it is answered, so it may be executed twice
Gone(d, c) == [d EXCEPT !.token = IF @ = c \/ ~OwnOnly THEN None ELSE @, !.q = Without(@, c)]
ServeRelease(r) ==
  /\ r.t = "release" /\ reqs' \in {reqs, reqs \ {r}}
  /\ row' = Gone(row, r.c) /\ over' = IF r.last THEN over \cup {r.c} ELSE over
  /\ UNCHANGED <<now, back, cl, deaths, seen>>

\* DelayedRelease
ServeKeep(r) ==
  /\ r.t = "keep" /\ reqs' = reqs \ {r}
  /\ row' = IF Held(row) /\ row.token = r.c THEN [row EXCEPT !.exp = Clock + KeepFor, !.keeps = Clock + KeepFor] ELSE row
  /\ UNCHANGED <<now, back, cl, deaths, over, seen>>

\* Purge
DropRow ==
  /\ row # NoRow /\ ~Held(row) /\ row.q = <<>> /\ (Purge = "passed" => (row.fence < Floor * Clock /\ row.since < Clock - PurgeAfter)) /\ row' = NoRow
  /\ UNCHANGED <<now, back, cl, reqs, deaths, over, seen>>

----------------------------------------------------------------------------
(* What a JVM does *)

Send(c, t) == reqs' = reqs \cup {[t |-> t, c |-> c, sent |-> now, n |-> cl[c].asks + 1, guard |-> Clock + Timeout]}
\* ClaimSteps: first the uncontended step, then the contended one, again when its timer is due
Ask(c) ==
  /\ cl[c].st = "idle" \/ (cl[c].st = "waiting" /\ cl[c].poll)
  /\ cl[c].asks < MaxAsk
  /\ Send(c, IF cl[c].st = "idle" THEN "take" ELSE "turn")
  /\ Set(c, [cl[c] EXCEPT !.st = "waiting", !.asks = @ + 1, !.wants = TRUE, !.poll = FALSE, !.guard = Clock + Timeout])
  /\ UNCHANGED <<now, back, row, deaths, over, seen>>
Unanswered(c) ==
  /\ cl[c].st = "waiting" /\ cl[c].wants
  /\ Set(c, [cl[c] EXCEPT !.wants = FALSE, !.poll = TRUE, !.doubt = TRUE])
  /\ UNCHANGED <<now, back, row, reqs, deaths, over, seen>>
Renew(c) ==
  /\ Valid(c) /\ cl[c].asks < MaxAsk /\ Send(c, "renew") /\ Set(c, [cl[c] EXCEPT !.asks = @ + 1])
  /\ UNCHANGED <<now, back, row, deaths, over, seen>>
\* A release; or a withdrawal, which has to speak again where a request may still count
Release(c) ==
  /\ Valid(c) \/ cl[c].st = "waiting"
  /\ LET doubt == cl[c].doubt \/ cl[c].wants IN
     /\ Set(c, [cl[c] EXCEPT !.st = IF doubt /\ LastWord THEN "leaving" ELSE "done", !.wants = FALSE, !.poll = FALSE])
     /\ reqs' = reqs \cup {[t |-> "release", c |-> c, last |-> ~(doubt /\ LastWord)]}
  /\ UNCHANGED <<now, back, row, deaths, over, seen>>
ReleaseAgain(c) ==
  /\ cl[c].st = "leaving" /\ Clock > cl[c].guard
  /\ Set(c, [cl[c] EXCEPT !.st = "done"])
  /\ reqs' = reqs \cup {[t |-> "release", c |-> c, last |-> TRUE]}
  /\ UNCHANGED <<now, back, row, deaths, over, seen>>
Keep(c) ==
  /\ Valid(c) /\ ~cl[c].doubt
  /\ Set(c, [cl[c] EXCEPT !.st = "done"]) /\ reqs' = reqs \cup {[t |-> "keep", c |-> c]}
  /\ UNCHANGED <<now, back, row, deaths, over, seen>>
Die(c) ==
  /\ deaths < MaxDeath /\ cl[c].st \in {"waiting", "held"} /\ deaths' = deaths + 1
  /\ Set(c, [cl[c] EXCEPT !.st = "done", !.wants = FALSE, !.poll = FALSE])
  /\ UNCHANGED <<now, back, row, reqs, over, seen>>

Tick == now < MaxT + 1 /\ now' = now + 1 /\ UNCHANGED <<back, row, cl, reqs, deaths, over, seen>>
SetBack == back < MaxBack /\ back' = back + 1 /\ UNCHANGED <<now, row, cl, reqs, deaths, over, seen>>

Next == \/ \E r \in reqs : \/ ServeTake(r) \/ ServeTurn(r) \/ ReadTurn(r) \/ WriteTurn(r)
                           \/ ServeRenew(r) \/ ServeRelease(r) \/ ServeKeep(r)
        \/ \E c \in Clients : Ask(c) \/ Unanswered(c) \/ Renew(c) \/ Release(c) \/ ReleaseAgain(c) \/ Keep(c) \/ Die(c)
        \/ DropRow \/ Tick \/ SetBack
Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
OneHolder == \A a, b \in Clients : a # b => ~(Valid(a) /\ Valid(b))
FencesRise == ~seen.fell
(* After the last word of a claim nothing of it holds the name or waits for it. *)
ReleaseFrees == \A c \in over : row.token # c /\ Place(row.q, c) = {}
(* A name that is kept after its holder has finished is free when that said. *)
KeptEnds == (row.token # None /\ row.keeps > 0) => row.exp = row.keeps
(* The name is free and somebody waits: then a timer runs for it, or an answer is due. *)
NobodyForgotten == ~Held(row) => \A c \in Clients : cl[c].st = "waiting" => cl[c].poll \/ cl[c].wants
=============================================================================
