------------------------------ MODULE History ------------------------------
(* What the models have in common, as a history of one name that somebody has recorded: each event has to be a step from here on.
   The store's own steps, a grant and its end, are seen by nobody, so TLC looks for some that fit in between.

   TLC is to break Refused: that is when all events have found their step. *)
EXTENDS Integers, Sequences, TLC, Recorded
VARIABLES at,      \* how many events have happened
          holder,  \* at the store, 0 for nobody
          grants,  \* how many there were
          st       \* of each hold: "idle", "asked", "granted", "held", "over"
vars == <<at, holder, grants, st>>

(* Recorded has Events, each with what it is (k), whose (h, a number from 1 on), and whether the handle said later that it was
   valid (sure); Fence, of each hold, 0 if it was never granted; and Order, the granted ones in the order of their fences. *)
Holds == 1..Len(Fence)
Init == at = 0 /\ holder = 0 /\ grants = 0 /\ st = [h \in Holds |-> "idle"]

----------------------------------------------------------------------------
(* The store *)

\* It grants to one who has asked, when nobody holds, under a greater fence than ever before
Grant ==
  /\ holder = 0 /\ grants < Len(Order)
  /\ LET h == Order[grants + 1] IN
     /\ st[h] = "asked"
     /\ grants > 0 => Fence[h] > Fence[Order[grants]]
     /\ holder' = h /\ grants' = grants + 1 /\ st' = [st EXCEPT ![h] = "granted"]
  /\ UNCHANGED at
\* A lease ends, by its time or by a release
End == holder # 0 /\ holder' = 0 /\ UNCHANGED <<at, grants, st>>

----------------------------------------------------------------------------
(* What was recorded *)

Change(h, from, to) == st[h] \in from /\ st' = [st EXCEPT ![h] = to]
Step ==
  /\ at < Len(Events) /\ at' = at + 1 /\ PrintT(at + 1)
  /\ LET e == Events[at + 1]
         h == e.h
     IN CASE e.k = "ask" -> Change(h, {"idle"}, "asked") /\ UNCHANGED <<holder, grants>>
          \* the caller has it; with the answer late, or the JVM asleep, the lease may have ended meanwhile
          [] e.k = "enter" -> (e.sure => holder = h) /\ Change(h, {"granted"}, "held") /\ UNCHANGED <<holder, grants>>
          \* the last time that its handle said it was valid
          [] e.k = "sure" -> holder = h /\ st[h] = "held" /\ UNCHANGED <<holder, grants, st>>
          \* it is given back, or known to be lost
          [] e.k = "over" -> Change(h, {"held", "over"}, "over") /\ UNCHANGED <<holder, grants>>
          \* the store has confirmed the release
          [] e.k = "freed" -> st[h] = "over" /\ holder' = (IF holder = h THEN 0 ELSE holder) /\ UNCHANGED <<grants, st>>
Next == Grant \/ End \/ Step
Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
Refused == at < Len(Events)
=============================================================================
