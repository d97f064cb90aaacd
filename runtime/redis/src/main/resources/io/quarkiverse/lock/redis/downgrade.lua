-- Makes a reader of a holder that excludes all others, and lets in the readers that wait in front of the next writer. Its fence
-- and its lease stay. Touches only what carries the claim, so it can be repeated until it is answered.
--
-- ARGV[3] claim
-- Replies SHARED waiters ticket | ABSENT | FORMAT v; the ticket is the last one, or the time: see renew
local claim = ARGV[3]

local format = load(nil)
if format then
  return { 'FORMAT', format }
end
local mine = hold[claim]
if not mine or mine.kept then
  return { 'ABSENT' }
end
finish() -- first, because it begins with what goes through when the memory is full, as all behind it does then
sweep()
if mine.mode == 'X' then
  mine.mode = 'S'
  writeHold(claim, mine)
end
dispatch(nil)
finish()
return { 'SHARED', waiters, n > 0 and n or us }
