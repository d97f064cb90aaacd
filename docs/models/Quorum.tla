------------------------------ MODULE Quorum ------------------------------
(* One lock name on an odd number of independent Redis servers. A client asks all of them for the name under a token of this
   attempt. With a majority of yes it writes the fence, one more than the highest it has read, to those that hold for it, and with a
   majority of answers to that it enters. Renewals and releases go to all. A server that crashes comes back empty and sits out the
   longest lease. What a majority has renewed the others are told of, if they do not know it. No server hands a grant on, and none
   queues: who does not get a majority gives back what it has and asks again.

   A request may be served at any time after it was sent, or never. A reply that is late or lost is, for the client, a request
   that is served after it went on: validity counts from the send in any case. *)
EXTENDS Integers, FiniteSets, TLC
CONSTANTS
  Clients, Servers, None,
  MaxT,        \* ticks of the clock
  MaxTry,      \* attempts of each client
  MaxRenew,    \* renewals of each client
  MaxCrash,    \* servers that come back empty
  Lease,       \* in ticks
  Margin,      \* how much earlier than the servers a client takes its lease for ended
  Drift,       \* how much earlier a fast server clock ends it
  \* What follows has one right value, the first; the others are defects
  Quora,       \* how many make a quorum: a majority
  Phases,      \* 2: read the highest fence, write one more. 1: each server counts, and the highest answer is taken
  Early,       \* TRUE: the margin comes before the end of the lease at the servers. FALSE: after it
  SitOut,      \* for how many ticks a server that came back empty takes part in nothing: the longest lease
  CheckToken,  \* TRUE: a fence is written only where the token still holds
  Floor,       \* a fence is at least so many times the server's clock; 0: a defect
  Tombs,       \* TRUE: a released token is refused from then on
  Revives,     \* FALSE: a renewal never makes a hold anew
  Reminds,     \* "checked": what a majority has renewed is written where it is missing, the name free and the token not released.
               \* "released": the token may have been. "never"
  GivesUp      \* "always": who gets no majority gives back what it has, and tries again. "unanswered": only if an answer is missing.
               \* "never": nobody does, which makes fewer states where it does not matter
VARIABLES now, srv, cl, reqs, crashes, seen
vars == <<now, srv, cl, reqs, crashes, seen>>

Perms == Permutations(Clients) \cup Permutations(Servers)
Max(a, b) == IF a > b THEN a ELSE b

(* deaf: until when it sits out. tomb: tokens that were released. *)
Blank == [hold |-> None, exp |-> 0, f |-> 0, deaf |-> 0, tomb |-> {}]
(* try: the attempt; with the client it is the token. yes: who granted; no: who refused; acks: who has the fence, or renewed.
   high: the highest fence read. timer: the one for the next attempt is armed. *)
New == [st |-> "idle", try |-> 0, sent |-> 0, valid |-> 0, yes |-> {}, no |-> {}, acks |-> {}, high |-> 0, fence |-> 0,
        renews |-> 0, renewed |-> 0, timer |-> FALSE]
Init == /\ now = 0 /\ srv = [s \in Servers |-> Blank] /\ cl = [c \in Clients |-> New]
        /\ reqs = {} /\ crashes = 0 /\ seen = [top |-> 0, fell |-> FALSE]
Valid(c) == cl[c].st = "held" /\ now < cl[c].valid
Until(from) == IF Early THEN from + Lease - Margin ELSE from + Lease + Margin

----------------------------------------------------------------------------
(* What a server does *)

Live(s) == srv[s].hold # None /\ now < srv[s].exp - Drift
Hears(s) == now >= srv[s].deaf
Token(r) == <<r.c, r.try>>
Holds(s, r) == Live(s) /\ srv[s].hold = Token(r)
Here(r) == cl[r.c].try = r.try
ToAll(t, c, k, to) == {[t |-> t, c |-> c, s |-> s, try |-> cl[c].try, k |-> k] : s \in to}
Put(s, v) == srv' = [srv EXCEPT ![s] = v]
Set(c, v) == cl' = [cl EXCEPT ![c] = v]

ServeAsk(r) ==
  LET s == r.s
      c == r.c
      \* An earlier attempt of the same client makes way
      yes == Hears(s) /\ (~Live(s) \/ (srv[s].hold[1] = c /\ srv[s].hold[2] <= r.try)) /\ (Tombs => Token(r) \notin srv[s].tomb)
      f == Max(IF Phases = 1 THEN srv[s].f + 1 ELSE srv[s].f, Floor * now)
      \* The fence was chosen already: this one is told it too
      late == yes /\ cl[c].st = "writing" /\ Here(r)
  IN /\ r.t = "ask"
     /\ reqs' = (reqs \ {r}) \cup (IF late THEN ToAll("write", c, cl[c].fence, {s}) ELSE {})
     /\ IF yes THEN Put(s, [srv[s] EXCEPT !.hold = Token(r), !.exp = now + Lease, !.f = IF Phases = 1 THEN f ELSE @])
        ELSE UNCHANGED srv
     /\ IF late THEN Set(c, [cl[c] EXCEPT !.yes = @ \cup {s}])
        ELSE IF cl[c].st # "asking" \/ ~Here(r) THEN UNCHANGED cl
        ELSE IF yes THEN Set(c, [cl[c] EXCEPT !.yes = @ \cup {s}, !.high = Max(@, f)])
        ELSE Set(c, [cl[c] EXCEPT !.no = @ \cup {s}])
     /\ UNCHANGED <<now, crashes, seen>>

ServeWrite(r) ==
  LET s == r.s
      c == r.c
      yes == CheckToken => Holds(s, r) \* one that sits out holds for nobody
  IN /\ r.t = "write" /\ reqs' = reqs \ {r}
     /\ IF yes THEN Put(s, [srv[s] EXCEPT !.f = Max(@, r.k)]) ELSE UNCHANGED srv
     /\ IF yes /\ cl[c].st = "writing" /\ Here(r) THEN Set(c, [cl[c] EXCEPT !.acks = @ \cup {s}]) ELSE UNCHANGED cl
     /\ UNCHANGED <<now, crashes, seen>>

ServeRenew(r) ==
  LET s == r.s
      c == r.c
      own == Holds(s, r)
      anew == Revives /\ Hears(s) /\ ~Live(s)
  IN /\ r.t = "renew" /\ reqs' = reqs \ {r}
     /\ IF own \/ anew THEN Put(s, [srv[s] EXCEPT !.hold = Token(r), !.exp = Max(@, now + Lease)]) ELSE UNCHANGED srv
     /\ IF cl[c].st # "held" \/ ~Here(r) \/ cl[c].renews # r.k THEN UNCHANGED cl
        ELSE IF own \/ anew THEN Set(c, [cl[c] EXCEPT !.acks = @ \cup {s}])
        ELSE Set(c, [cl[c] EXCEPT !.no = @ \cup {s}])
     /\ UNCHANGED <<now, crashes, seen>>

ServeRemind(r) ==
  LET s == r.s
      yes == /\ Hears(s) /\ ~Live(s) /\ srv[s].f <= r.k
             /\ Reminds = "released" \/ Token(r) \notin srv[s].tomb
  IN /\ r.t = "remind" /\ reqs' = reqs \ {r}
     /\ IF yes THEN Put(s, [srv[s] EXCEPT !.hold = Token(r), !.exp = now + Lease, !.f = r.k]) ELSE UNCHANGED srv
     /\ UNCHANGED <<now, cl, crashes, seen>>

ServeFree(r) ==
  LET s == r.s IN
  /\ r.t = "free" /\ reqs' = reqs \ {r}
  /\ Put(s, [srv[s] EXCEPT !.hold = IF @ = Token(r) THEN None ELSE @, !.tomb = @ \cup {Token(r)}])
  /\ UNCHANGED <<now, cl, crashes, seen>>

----------------------------------------------------------------------------
(* What a client does *)

Enter(c, f) ==
  /\ Set(c, [cl[c] EXCEPT !.st = "held", !.valid = Until(cl[c].sent), !.fence = f, !.acks = {}, !.no = {}])
  /\ seen' = [fell |-> seen.fell \/ f <= seen.top, top |-> Max(seen.top, f)]

Ask(c) ==
  /\ cl[c].st = "idle" \/ (cl[c].st = "waiting" /\ cl[c].timer)
  /\ cl[c].try < MaxTry
  /\ Set(c, [New EXCEPT !.st = "asking", !.try = cl[c].try + 1, !.sent = now])
  /\ reqs' = reqs \cup {[t |-> "ask", c |-> c, s |-> s, try |-> cl[c].try + 1, k |-> 0] : s \in Servers}
  /\ UNCHANGED <<now, srv, crashes, seen>>

\* A majority holds for it: phase 2
WriteFence(c) ==
  /\ cl[c].st = "asking" /\ Cardinality(cl[c].yes) >= Quora /\ now < Until(cl[c].sent)
  /\ IF Phases = 1 THEN Enter(c, cl[c].high) /\ UNCHANGED reqs
     ELSE /\ Set(c, [cl[c] EXCEPT !.st = "writing", !.fence = cl[c].high + 1])
          /\ reqs' = reqs \cup ToAll("write", c, cl[c].high + 1, cl[c].yes)
          /\ UNCHANGED seen
  /\ UNCHANGED <<now, srv, crashes>>

\* A majority has the fence
Begin(c) ==
  /\ cl[c].st = "writing" /\ Cardinality(cl[c].acks) >= Quora /\ now < Until(cl[c].sent)
  /\ Enter(c, cl[c].fence)
  /\ UNCHANGED <<now, srv, reqs, crashes>>

Renew(c) ==
  /\ Valid(c) /\ cl[c].renews < MaxRenew
  /\ Set(c, [cl[c] EXCEPT !.renews = @ + 1, !.renewed = now, !.acks = {}, !.no = {}])
  /\ reqs' = reqs \cup ToAll("renew", c, cl[c].renews + 1, Servers)
  /\ UNCHANGED <<now, srv, crashes, seen>>

Renewed(c) ==
  /\ Valid(c) /\ cl[c].renews > 0 /\ Cardinality(cl[c].acks) >= Quora /\ Until(cl[c].renewed) > cl[c].valid
  /\ Set(c, [cl[c] EXCEPT !.valid = Until(cl[c].renewed)])
  /\ UNCHANGED <<now, srv, reqs, crashes, seen>>

\* A server that has said no to the renewal that a majority has done
Remind(c) ==
  /\ Reminds # "never" /\ Valid(c) /\ cl[c].renews > 0 /\ Cardinality(cl[c].acks) >= Quora
  /\ \E s \in cl[c].no : /\ Set(c, [cl[c] EXCEPT !.no = @ \ {s}])
                        /\ reqs' = reqs \cup ToAll("remind", c, cl[c].fence, {s})
  /\ UNCHANGED <<now, srv, crashes, seen>>

\* Gives back, to every server, also to those that have never answered
Release(c) ==
  /\ cl[c].st = "held"
  /\ Set(c, [New EXCEPT !.st = "done", !.try = cl[c].try])
  /\ reqs' = reqs \cup ToAll("free", c, 0, Servers)
  /\ UNCHANGED <<now, srv, crashes, seen>>

\* No majority can be had, or an answer takes too long: back with what there is, and again after some jitter
Unanswered(c) == \E s \in Servers \ (cl[c].yes \cup cl[c].no) : TRUE
TryAgain(c) ==
  /\ cl[c].st \in {"asking", "writing"}
  /\ \/ GivesUp = "always"
     \/ GivesUp = "unanswered" /\ IF cl[c].st = "asking" THEN Unanswered(c) ELSE cl[c].acks # cl[c].yes
  /\ Set(c, [New EXCEPT !.st = "waiting", !.try = cl[c].try, !.timer = TRUE])
  /\ reqs' = reqs \cup ToAll("free", c, 0, Servers)
  /\ UNCHANGED <<now, srv, crashes, seen>>

----------------------------------------------------------------------------
(* What happens to the servers *)

Crash(s) == /\ crashes < MaxCrash /\ crashes' = crashes + 1
            /\ Put(s, [Blank EXCEPT !.deaf = now + SitOut])
            /\ UNCHANGED <<now, cl, reqs, seen>>
Tick == now < MaxT /\ now' = now + 1 /\ UNCHANGED <<srv, cl, reqs, crashes, seen>>

Next == \/ \E r \in reqs : ServeAsk(r) \/ ServeWrite(r) \/ ServeRenew(r) \/ ServeRemind(r) \/ ServeFree(r)
        \/ \E c \in Clients : Ask(c) \/ WriteFence(c) \/ Begin(c) \/ Renew(c) \/ Renewed(c) \/ Remind(c) \/ Release(c) \/ TryAgain(c)
        \/ \E s \in Servers : Crash(s)
        \/ Tick
Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
OneHolder == \A a, b \in Clients : a # b => ~(Valid(a) /\ Valid(b))
FencesRise == ~seen.fell
(* What has been released at a server is not held there again under that token. *)
ReleaseFrees == \A s \in Servers : srv[s].hold \notin srv[s].tomb
(* Nobody holds the name, and somebody waits: then a timer runs for it, answers are due, or it has what it needs to go on. *)
NobodyForgotten ==
  (\A c \in Clients : cl[c].st # "held") =>
    \A c \in Clients :
      /\ cl[c].st = "waiting" => cl[c].timer
      /\ cl[c].st = "asking" => GivesUp = "always" \/ Unanswered(c) \/ Cardinality(cl[c].yes) >= Quora
=============================================================================
