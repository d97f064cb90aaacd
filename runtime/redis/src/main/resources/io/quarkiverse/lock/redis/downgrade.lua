-- Turns a holder that excludes all others into a reader, and lets in the readers that wait in front of the next writer. The
-- fence and the lease stay. Touches only what carries the claim, so it can be repeated until it is answered.
--
-- ARGV[3] claim
-- Replies SHARED waiters ticket | ABSENT | FORMAT v; the ticket is the last one, or the time if nobody waits: see renew.lua
local claim = ARGV[3]

local format = s.load(claim)
if format then
  return { 'FORMAT', format }
end
local mine = s.live(claim)
if not mine or mine.kept then
  return { 'ABSENT' }
end
if mine.mode == 'X' then
  mine.mode, s.mode = 'S', 'S'
  s.writeHold(claim, mine)
end
s.dispatch(nil)
s.finish()
return { 'SHARED', s.waiters, s.waiters > 0 and s.ticket or math.max(s.ticket, us) }
