------------------------------- MODULE Redis -------------------------------
(* One lock name on a Redis master with an asynchronous replica: what the scripts do to the name, what a JVM does with their
   answers and with messages, and what fail-overs, late requests and lost replies do to both. A client is a JVM with one claim.

   A server answers requests in any order and at any time after they were sent, or never. PUBLISH reaches the subscribers of
   the master at once; as part of the replication it reaches those of the replica when the replica gets it. *)
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS
  Clients, None,
  MaxT,        \* ticks of the clock
  MaxAsk,      \* requests of each client, renewals among them
  MaxFail,     \* fail-overs
  MaxDeath,    \* clients that die
  Lease, ClaimLease,  \* of a grant, and of one that was pushed, in ticks
  Margin,      \* how much earlier than the server a client takes a lease for ended
  Drift,       \* how much earlier a fast server clock ends it
  Floor,       \* a fence is at least so many times the server's clock; 0 for no floor
  GivesUp,     \* clients may stop waiting
  Loses,       \* replies may be lost
  Lossy,       \* a fail-over may lose what was not replicated: no level without grace promises one holder then
  \* What follows has one right value, the first; the others are defects
  Count,       \* "probe": publish a probe, grant if it was heard. "cluster": nobody counts. "takeback": grant, publish, take back at 0
  Newer,       \* TRUE: a push counts only above the fence that QUEUED told
  Early,       \* TRUE: a client takes its lease for ended before the server does, by the margin. FALSE: after it
  Timely,      \* TRUE: a reply that is older than its lease is not taken
  FromSend,    \* TRUE: validity counts from the send of a request, not from its reply
  Tombs,       \* TRUE: a release leaves a tombstone where a request of the claim may still be on its way
  Revives,     \* FALSE: a renewal never makes a hold anew
  OwnOnly,     \* TRUE: a release touches only what carries its token
  Pokes        \* TRUE: who is queued asks again after a while
VARIABLES now, master, db, stream, cl, reqs, reps, pushes, fails, deaths, seen
vars == <<now, master, db, stream, cl, reqs, reps, pushes, fails, deaths, seen>>

Servers == {1, 2}
Other == 3 - master
Perms == Permutations(Clients)
Max(a, b) == IF a > b THEN a ELSE b
Range(s) == {s[i] : i \in 1..Len(s)}

(* The hash of the name. over: what has been released here, which nothing reads but an invariant. *)
Empty == [hold |-> None, exp |-> 0, f |-> 0, q |-> <<>>, tomb |-> {}, over |-> {}]
(* asks: requests so far. wants: the last one is awaited. poke: the timer for the next is armed. doubt: one was never answered.
   qSent, qFence: of the last request that was answered with QUEUED. sub: the server that its subscription hangs on. *)
New == [st |-> "idle", valid |-> 0, fence |-> 0, asks |-> 0, wants |-> FALSE, poke |-> FALSE, doubt |-> FALSE,
        qSent |-> -1, qFence |-> 0, sub |-> 1]
Init == /\ now = 0 /\ master = 1 /\ db = [s \in Servers |-> Empty] /\ stream = <<>>
        /\ cl = [c \in Clients |-> New] /\ reqs = {} /\ reps = {} /\ pushes = {} /\ fails = 0 /\ deaths = 0
        /\ seen = [top |-> 0, fell |-> FALSE, granted |-> 0, back |-> FALSE]
Valid(c) == cl[c].st = "held" /\ now < cl[c].valid

----------------------------------------------------------------------------
(* holders.lua and waiters.lua *)

Swept(d) == IF d.exp - Drift <= now THEN [d EXCEPT !.hold = None, !.exp = 0] ELSE d
Grant(d, c, lease) == [d EXCEPT !.hold = c, !.exp = now + lease, !.f = Max(@ + 1, Floor * now)]
Without(q, c) == SelectSeq(q, LAMBDA x : x # c)

\* dispatch: hands the name to the first in the queue that hears of it. out: what it publishes.
RECURSIVE Dispatch(_, _, _)
Dispatch(d, out, asking) ==
  IF d.hold # None \/ d.q = <<>> THEN [d |-> d, out |-> out]
  ELSE LET h == Head(d.q)
           granted == Grant([d EXCEPT !.q = Tail(@)], h, ClaimLease)
           m == [c |-> h, f |-> granted.f]
           heard == cl[h].sub = master
       IN IF h = asking THEN [d |-> granted, out |-> out]
          ELSE IF Count = "cluster" \/ heard THEN [d |-> granted, out |-> Append(out, m)]
          ELSE IF Count = "takeback" THEN Dispatch([granted EXCEPT !.hold = None, !.exp = 0], Append(out, m), asking)
          ELSE Dispatch([d EXCEPT !.q = Tail(@)], out, asking)

Write(d, out) ==
  /\ db' = [db EXCEPT ![master] = d]
  /\ stream' = IF MaxFail > 0 THEN stream \o out ELSE <<>>
  /\ pushes' = pushes \cup {m \in Range(out) : cl[m.c].sub = master}
  \* seen.granted: the highest fence that any master has granted
  /\ seen' = IF d.f > db[master].f
             THEN [seen EXCEPT !.back = @ \/ d.f <= seen.granted, !.granted = Max(@, d.f)]
             ELSE seen

(* acquire.lua: the first request of a claim, its repetition, the poke, and the confirmation of a pushed grant *)
ServeAsk(r) ==
  LET c == r.c
      d0 == Swept(db[master])
      x == IF d0.hold = c THEN [d |-> d0, out |-> <<>>] ELSE Dispatch(d0, <<>>, c)
      d1 == x.d
      d2 == IF d1.hold = c THEN [d1 EXCEPT !.exp = Max(@, now + Lease)]
            ELSE IF d1.hold = None /\ d1.q = <<>> THEN Grant(d1, c, Lease)
            ELSE IF c \in Range(d1.q) THEN d1 ELSE [d1 EXCEPT !.q = Append(@, c)]
  IN /\ r.t = "ask" /\ reqs' = reqs \ {r}
     /\ IF c \in d0.tomb
        THEN UNCHANGED <<db, stream, pushes, seen, reps>>  \* GONE: whoever gets that has given up
        ELSE /\ Write(d2, x.out)
             /\ reps' = IF cl[c].wants /\ r.n = cl[c].asks
                        THEN reps \cup {[r EXCEPT !.t = IF d2.hold = c THEN "GRANTED" ELSE "QUEUED"] @@ [f |-> d2.f]}
                        ELSE reps
     /\ UNCHANGED <<now, master, cl, fails, deaths>>

(* renew.lua *)
ServeRenew(r) ==
  LET c == r.c
      d == Swept(db[master])
      own == d.hold = c
  IN /\ r.t = "renew" /\ reqs' = reqs \ {r}
     /\ Write(IF own THEN [d EXCEPT !.exp = Max(@, now + Lease)]
              ELSE IF Revives /\ d.hold = None THEN [d EXCEPT !.hold = c, !.exp = now + Lease]
              ELSE d, <<>>)
     /\ reps' = IF cl[c].wants /\ r.n = cl[c].asks
                THEN reps \cup {[r EXCEPT !.t = IF own THEN "RENEWED" ELSE "LOST"] @@ [f |-> 0]} ELSE reps
     /\ UNCHANGED <<now, master, cl, fails, deaths>>

(* release.lua: a release and a withdrawal are the same. It is sent until it is answered, so it may be served twice. *)
ServeRelease(r) ==
  LET c == r.c
      d == Swept(db[master])
      freed == IF d.hold = c \/ ~OwnOnly THEN [d EXCEPT !.hold = None, !.exp = 0] ELSE d
      x == Dispatch([freed EXCEPT !.q = Without(@, c), !.tomb = IF r.tomb THEN @ \cup {c} ELSE @, !.over = @ \cup {c}], <<>>, None)
  IN /\ r.t = "release"
     /\ reqs' \in {reqs, reqs \ {r}}
     /\ Write(x.d, x.out)
     /\ UNCHANGED <<now, master, cl, reps, fails, deaths>>

----------------------------------------------------------------------------
(* What a JVM does *)

Set(c, r) == cl' = [cl EXCEPT ![c] = r]
Send(c, t) == reqs' = reqs \cup {[t |-> t, c |-> c, sent |-> now, n |-> cl[c].asks + 1]}
Enter(c, r, f, until) ==
  /\ Set(c, [r EXCEPT !.st = "held", !.fence = f, !.valid = until, !.poke = FALSE])
  /\ seen' = [seen EXCEPT !.fell = @ \/ f <= seen.top, !.top = Max(@, f)]

\* PendingClaim.ask, at first or when its timer is due
Ask(c) ==
  /\ cl[c].st = "idle" \/ (cl[c].st = "waiting" /\ cl[c].poke)
  /\ cl[c].asks < MaxAsk
  /\ Send(c, "ask")
  /\ Set(c, [cl[c] EXCEPT !.st = "waiting", !.asks = @ + 1, !.wants = TRUE, !.poke = FALSE])
  /\ UNCHANGED <<now, master, db, stream, reps, pushes, fails, deaths, seen>>

\* Renewals; the first one confirms a grant that was pushed
Renew(c) ==
  /\ Valid(c) /\ ~cl[c].wants /\ cl[c].asks < MaxAsk
  /\ Send(c, "renew")
  /\ Set(c, [cl[c] EXCEPT !.asks = @ + 1, !.wants = TRUE])
  /\ UNCHANGED <<now, master, db, stream, reps, pushes, fails, deaths, seen>>

\* No answer in time: the connection ends, and the reply with it; the request may still be on its way
Unanswered(c) ==
  /\ Loses /\ cl[c].wants /\ cl[c].st \in {"waiting", "held"}
  /\ Set(c, [cl[c] EXCEPT !.wants = FALSE, !.doubt = TRUE, !.poke = cl[c].st = "waiting"])
  /\ reps' = {r \in reps : r.c # c}
  /\ UNCHANGED <<now, master, db, stream, reqs, pushes, fails, deaths, seen>>

From(r) == IF FromSend THEN r.sent ELSE now
Until(from, lease) == IF Early THEN from + lease - Margin ELSE from + lease + Margin

\* PendingClaim.replied, and the answer to a renewal
Reply(r) ==
  LET c == r.c
      x == [cl[c] EXCEPT !.wants = FALSE]
      until == Until(From(r), Lease)
  IN /\ reps' = reps \ {r}
     /\ CASE ~cl[c].wants \/ r.n # cl[c].asks -> UNCHANGED <<cl, seen>>
          [] r.t = "GRANTED" /\ cl[c].st = "waiting" ->
               IF Timely /\ now >= until THEN Set(c, [x EXCEPT !.poke = TRUE]) /\ UNCHANGED seen ELSE Enter(c, x, r.f, until)
          [] r.t = "QUEUED" /\ cl[c].st = "waiting" ->
               Set(c, [x EXCEPT !.qSent = From(r), !.qFence = r.f, !.poke = Pokes]) /\ UNCHANGED seen
          [] r.t = "RENEWED" /\ Valid(c) -> Set(c, [x EXCEPT !.valid = Max(@, until)]) /\ UNCHANGED seen
          [] r.t = "LOST" /\ cl[c].st = "held" -> Set(c, [x EXCEPT !.st = "done"]) /\ UNCHANGED seen
          [] OTHER -> Set(c, x) /\ UNCHANGED seen
     /\ UNCHANGED <<now, master, db, stream, reqs, pushes, fails, deaths>>

\* PendingClaim.takePushed
Push(m) ==
  LET c == m.c
      x == cl[c]
      until == Until(x.qSent, ClaimLease)
  IN /\ pushes' = pushes \ {m}
     /\ IF x.st = "waiting" /\ x.qSent >= 0 /\ (Newer => m.f > x.qFence) /\ now < until
        THEN Enter(c, [x EXCEPT !.doubt = @ \/ x.wants, !.wants = FALSE], m.f, until) ELSE UNCHANGED <<cl, seen>>
     /\ UNCHANGED <<now, master, db, stream, reqs, reps, fails, deaths>>

\* The end of a hold, and of a wait
Release(c) ==
  /\ Valid(c) \/ (GivesUp /\ cl[c].st = "waiting")
  /\ Set(c, [cl[c] EXCEPT !.st = "done", !.wants = FALSE, !.poke = FALSE])
  /\ reqs' = reqs \cup {[t |-> "release", c |-> c, tomb |-> Tombs /\ (cl[c].wants \/ cl[c].doubt)]}
  /\ UNCHANGED <<now, master, db, stream, reps, pushes, fails, deaths, seen>>

Die(c) ==
  /\ deaths < MaxDeath /\ cl[c].st \in {"waiting", "held"} /\ deaths' = deaths + 1
  /\ Set(c, [cl[c] EXCEPT !.st = "done", !.wants = FALSE, !.poke = FALSE, !.sub = 0])
  /\ UNCHANGED <<now, master, db, stream, reqs, reps, pushes, fails, seen>>

\* The probe to oneself finds that commands and messages go to different servers
Subscribe(c) ==
  /\ cl[c].sub = Other /\ Set(c, [cl[c] EXCEPT !.sub = master])
  /\ UNCHANGED <<now, master, db, stream, reqs, reps, pushes, fails, deaths, seen>>

----------------------------------------------------------------------------
(* What happens to Redis *)

Replicate ==
  /\ MaxFail > 0 /\ (db[Other] # db[master] \/ stream # <<>>)
  /\ db' = [db EXCEPT ![Other] = db[master]] /\ stream' = <<>>
  /\ pushes' = pushes \cup {m \in Range(stream) : cl[m.c].sub = Other}
  /\ UNCHANGED <<now, master, cl, reqs, reps, fails, deaths, seen>>

\* The demoted master lives on as a replica, and keeps its subscribers. A loss takes longer than a grant does: a tick.
Failover ==
  /\ fails < MaxFail /\ fails' = fails + 1 /\ master' = Other /\ stream' = <<>>
  /\ \/ db[Other] = db[master] /\ stream = <<>> /\ now' = now
     \/ Lossy /\ now < MaxT /\ now' = now + 1
  /\ UNCHANGED <<db, cl, reqs, reps, pushes, deaths, seen>>

Tick == now < MaxT /\ now' = now + 1 /\ UNCHANGED <<master, db, stream, cl, reqs, reps, pushes, fails, deaths, seen>>

Next == \/ \E r \in reqs : ServeAsk(r) \/ ServeRenew(r) \/ ServeRelease(r)
        \/ \E r \in reps : Reply(r)
        \/ \E m \in pushes : Push(m)
        \/ \E c \in Clients : Ask(c) \/ Renew(c) \/ Unanswered(c) \/ Release(c) \/ Die(c) \/ Subscribe(c)
        \/ Replicate \/ Failover \/ Tick
Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* Never are two holds valid at once. *)
OneHolder == \A a, b \in Clients : a # b => ~(Valid(a) /\ Valid(b))
(* Whoever enters has a fence above all who entered before. *)
FencesRise == ~seen.fell
(* A master grants nothing under a fence that another has granted before it, whatever was lost. *)
GrantsRise == ~seen.back
(* What has been released is not held again under its token. *)
ReleaseFrees == db[master].hold \notin db[master].over
(* The name is free and somebody alive waits: then a timer runs for it, an answer is due, or news is under way. *)
NobodyForgotten ==
  Swept(db[master]).hold = None =>
    \A c \in Clients : cl[c].st = "waiting" => cl[c].poke \/ cl[c].wants \/ (\E m \in pushes : m.c = c /\ m.f > cl[c].qFence)
=============================================================================
