------------------------------- MODULE Grace -------------------------------
(* One lock name on two Redis processes, one of them the master, with grace and reclaim. Each time that a process begins to serve
   as master is an incarnation: by a restart that loses everything (FLUSHALL and a restored backup are the same to the scripts),
   or by a promotion that loses any part of what was written last. A marker in the data says which incarnation wrote it, and
   until when its grace lasts. A script that finds another incarnation's marker, or none, begins a grace: nothing is granted in
   it, and holders ask for what they have (reclaim).

   A request may be served late, by whatever process its connection leads to. A reply that was lost is, for the client, a
   request that is served after it went on. *)
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS
  Clients, None,
  MaxT,        \* ticks of the clock
  MaxInc,      \* incarnations
  MaxAsk,      \* requests of each client, renewals among them
  Leases,      \* of each client, in ticks
  OldGoesOn,   \* for so many ticks a former master, cut off, goes on serving whose connection leads to it
  Loses,       \* replies may be lost
  \* What follows has one right value, the first; the others are defects
  Length,      \* of a grace. "max": the longest lease of the fleet. "known": the lease of the client whose request begins it
  Counted,     \* TRUE: a grace is longer by OldGoesOn
  Id,          \* "inc": an id for each incarnation, read by the script: run id and replication id. "run": the process alone.
               \* "client": what the client read when it connected
  Compare,     \* which reclaims are accepted. "fence": those not below the stored fence. "refuse": only where nobody holds.
               \* "any": all
  Target,      \* TRUE: a reclaim says which incarnation it is meant for
  Floor,       \* a fence is at least so many times the server's clock; 0: a defect
  Grants,      \* FALSE: nothing is granted in a grace
  Waits,       \* TRUE: no renewal extends anything while a former master may go on
  Timer        \* TRUE: who is told to wait for the end of a grace asks again then
VARIABLES now, master, inc, id, db, cl, reqs, cut, seen
vars == <<now, master, inc, id, db, cl, reqs, cut, seen>>

Servers == {1, 2}
Other == 3 - master
Perms == Permutations(Clients)
Max(a, b) == IF a > b THEN a ELSE b
Range(s) == {s[i] : i \in 1..Len(s)}
MaxLease == CHOOSE m \in {Leases[c] : c \in Clients} : \A c \in Clients : Leases[c] <= m

(* hold, fence of the hold, its end; f: the last fence; q: who waits; mark, end: the marker *)
Empty == [hold |-> None, hf |-> 0, exp |-> 0, f |-> 0, q |-> <<>>, mark |-> 0, end |-> 0]
(* at: the process that the connection leads to; knows: the incarnation that it has read there. *)
New == [st |-> "idle", valid |-> 0, fence |-> 0, asks |-> 0, wants |-> FALSE, poke |-> FALSE, at |-> 1, knows |-> 1]
Init == /\ now = 0 /\ master = 1 /\ inc = 1 /\ id = <<1, 0>>
        /\ db = [s \in Servers |-> [Empty EXCEPT !.mark = IF Id = "run" THEN 11 ELSE 1]]
        /\ cl = [c \in Clients |-> New] /\ reqs = {} /\ cut = -1 /\ seen = [top |-> 0, fell |-> FALSE, driven |-> FALSE]
Valid(c) == cl[c].st = "held" /\ now < cl[c].valid

----------------------------------------------------------------------------
(* The scripts *)

Serves(s) == s = master \/ now < cut
\* What a script of client c takes for the incarnation of process s
Ident(c, s) == CASE Id = "inc" -> id[s] [] Id = "run" -> 10 + s [] Id = "client" -> cl[c].knows
\* How each script begins: with the marker, and without what has expired
Begin(c, s) ==
  LET d == db[s]
      long == (IF Length = "max" THEN MaxLease ELSE Leases[c]) + (IF Counted THEN OldGoesOn ELSE 0)
      e == IF d.mark = Ident(c, s) THEN d ELSE [d EXCEPT !.mark = Ident(c, s), !.end = now + long]
  IN IF e.exp <= now THEN [e EXCEPT !.hold = None] ELSE e
InGrace(d) == now < d.end
Next1(d) == Max(d.f + 1, Floor * now)
Grant(d, c) == [d EXCEPT !.hold = c, !.hf = Next1(d), !.f = Next1(d), !.exp = now + Leases[c],
                         !.q = SelectSeq(@, LAMBDA x : x # c)]
First(d, c) == d.q = <<>> \/ Head(d.q) = c

Set(c, r) == cl' = [cl EXCEPT ![c] = r]
Enter(c, f, until) ==
  /\ Set(c, [cl[c] EXCEPT !.st = "held", !.valid = until, !.fence = f, !.wants = FALSE, !.poke = FALSE])
  /\ seen' = [seen EXCEPT !.fell = @ \/ f <= seen.top, !.top = Max(@, f)]
Same == UNCHANGED <<cl, seen>>
Awaited(r) == cl[r.c].wants /\ cl[r.c].asks = r.n

\* acquire.lua: in a grace it queues, and grants nothing
ServeAsk(r) ==
  LET c == r.c
      s == r.s
      d == Begin(c, s)
      until == r.sent + Leases[c]
  IN /\ r.t = "ask" /\ Serves(s) /\ reqs' = reqs \ {r}
     /\ IF d.hold = None /\ First(d, c) /\ (Grants \/ ~InGrace(d))
        THEN /\ db' = [db EXCEPT ![s] = Grant(d, c)]
             /\ IF ~Awaited(r) THEN Same
                ELSE IF now < until THEN Enter(c, Next1(d), until)
                ELSE Set(c, [cl[c] EXCEPT !.wants = FALSE, !.poke = TRUE]) /\ UNCHANGED seen
        ELSE /\ db' = [db EXCEPT ![s] = IF c \in Range(d.q) THEN d ELSE [d EXCEPT !.q = Append(@, c)]]
             /\ IF Awaited(r)
                THEN Set(c, [cl[c] EXCEPT !.wants = FALSE, !.poke = Timer \/ ~InGrace(d)]) /\ UNCHANGED seen
                ELSE Same
     /\ UNCHANGED <<now, master, inc, id, cut>>

\* renew.lua; in a grace it is reclaim.lua
ServeRenew(r) ==
  LET c == r.c
      s == r.s
      d == Begin(c, s)
      own == d.hold = c /\ d.hf = r.f
      may == CASE Compare = "fence" -> r.f >= d.f [] Compare = "refuse" -> d.hold = None [] Compare = "any" -> TRUE
      again == InGrace(d) /\ may /\ (Target => r.inc = id[s])
      extends == ~Waits \/ now >= d.end - MaxLease
  IN /\ r.t = "renew" /\ Serves(s) /\ reqs' = reqs \ {r}
     /\ IF own \/ again
        THEN /\ db' = [db EXCEPT ![s] = [d EXCEPT !.hold = c, !.hf = r.f, !.f = Max(d.f, r.f),
                                                  !.exp = Max(IF own THEN d.exp ELSE 0, now + Leases[c])]]
             /\ IF Valid(c) /\ cl[c].fence = r.f /\ extends
                THEN Set(c, [cl[c] EXCEPT !.valid = Max(@, r.sent + Leases[c])]) ELSE UNCHANGED cl
             /\ seen' = [seen EXCEPT !.driven = @ \/ \E x \in Clients \ {c} : d.hold = x /\ Valid(x) /\ cl[x].fence = d.hf]
        ELSE /\ db' = [db EXCEPT ![s] = d]
             /\ IF cl[c].st = "held" /\ cl[c].fence = r.f
                THEN Set(c, [cl[c] EXCEPT !.st = "done"]) /\ UNCHANGED seen ELSE Same
     /\ UNCHANGED <<now, master, inc, id, cut>>

\* release.lua: dispatch hands nothing on in a grace
ServeRelease(r) ==
  LET d == Begin(r.c, r.s)
  IN /\ r.t = "release" /\ Serves(r.s) /\ reqs' = reqs \ {r}
     /\ db' = [db EXCEPT ![r.s] = IF d.hold = r.c /\ d.hf = r.f THEN [d EXCEPT !.hold = None] ELSE d]
     /\ UNCHANGED <<now, master, inc, id, cl, cut, seen>>

----------------------------------------------------------------------------
(* What a JVM does *)

Send(c, t) == reqs' = reqs \cup {[t |-> t, c |-> c, s |-> cl[c].at, sent |-> now, n |-> cl[c].asks + 1,
                                  f |-> cl[c].fence, inc |-> cl[c].knows]}
Ask(c) ==
  /\ cl[c].st = "idle" \/ (cl[c].st = "waiting" /\ cl[c].poke)
  /\ cl[c].asks < MaxAsk /\ Send(c, "ask")
  /\ Set(c, [cl[c] EXCEPT !.st = "waiting", !.asks = @ + 1, !.wants = TRUE, !.poke = FALSE])
  /\ UNCHANGED <<now, master, inc, id, db, cut, seen>>
\* No answer in time: the request may still be on its way
Unanswered(c) ==
  /\ Loses /\ cl[c].st = "waiting" /\ cl[c].wants
  /\ Set(c, [cl[c] EXCEPT !.wants = FALSE, !.poke = TRUE])
  /\ UNCHANGED <<now, master, inc, id, db, reqs, cut, seen>>
\* Renewal, and reclaim
Renew(c) ==
  /\ Valid(c) /\ cl[c].asks < MaxAsk /\ Send(c, "renew")
  /\ Set(c, [cl[c] EXCEPT !.asks = @ + 1])
  /\ UNCHANGED <<now, master, inc, id, db, cut, seen>>
Release(c) ==
  /\ Valid(c) /\ Send(c, "release") /\ Set(c, [cl[c] EXCEPT !.st = "done"])
  /\ UNCHANGED <<now, master, inc, id, db, cut, seen>>
\* A new connection, to the master, whose incarnation is read
Connect(c) ==
  /\ cl[c].at # master \/ cl[c].knows # id[master]
  /\ Set(c, [cl[c] EXCEPT !.at = master, !.knows = id[master], !.poke = @ \/ cl[c].wants, !.wants = FALSE])
  /\ UNCHANGED <<now, master, inc, id, db, reqs, cut, seen>>

----------------------------------------------------------------------------
(* What happens to Redis *)

Replicate == /\ cut < now /\ db[Other] # db[master] /\ db' = [db EXCEPT ![Other] = db[master]]
             /\ UNCHANGED <<now, master, inc, id, cl, reqs, cut, seen>>
\* The replica is promoted with what it has. Both processes keep their connections.
Promote == /\ inc < MaxInc /\ master' = Other /\ inc' = inc + 1 /\ id' = [id EXCEPT ![Other] = inc + 1]
           /\ cut' = now + OldGoesOn
           /\ UNCHANGED <<now, db, cl, reqs, seen>>
\* Connections end with the process, and what was on them
Restart == /\ inc < MaxInc /\ inc' = inc + 1 /\ id' = [id EXCEPT ![master] = inc + 1] /\ db' = [db EXCEPT ![master] = Empty]
           /\ reqs' = {r \in reqs : r.s # master}
           /\ UNCHANGED <<now, master, cl, cut, seen>>
Tick == now < MaxT /\ now' = now + 1 /\ UNCHANGED <<master, inc, id, db, cl, reqs, cut, seen>>

Next == \/ \E r \in reqs : ServeAsk(r) \/ ServeRenew(r) \/ ServeRelease(r)
        \/ \E c \in Clients : Ask(c) \/ Unanswered(c) \/ Renew(c) \/ Release(c) \/ Connect(c)
        \/ Replicate \/ Promote \/ Restart \/ Tick
Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
OneHolder == \A a, b \in Clients : a # b => ~(Valid(a) /\ Valid(b))
FencesRise == ~seen.fell
(* No reclaim drives out of the data a hold that is valid. *)
KeepsTheLiving == ~seen.driven
(* The name is free and somebody waits: then a timer runs for it, or an answer is due. *)
NobodyForgotten ==
  db[master].hold = None => \A c \in Clients : cl[c].st = "waiting" => cl[c].poke \/ cl[c].wants

All1 == [c \in Clients |-> 1]
All2 == [c \in Clients |-> 2]
Mixed == [c \in Clients |-> IF c = (CHOOSE x \in Clients : TRUE) THEN 1 ELSE 2]
=============================================================================
