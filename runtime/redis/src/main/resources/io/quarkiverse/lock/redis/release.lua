-- Ends a claim, whatever its state: gives back its grant, or takes it out of the queue. Touches only what carries the claim, so
-- it can be repeated until it is answered.
--
-- ARGV[3] claim  [4] for how many ms later requests of the claim are to be refused: 0 if all of them were answered, so
-- that none can still be on its way
-- Replies RELEASED waiters | WITHDRAWN waiters | ABSENT waiters | FORMAT v
local claim, refuse = ARGV[3], tonumber(ARGV[4])

local format = s.load(claim)
if format then
  return { 'FORMAT', format }
end
local status = 'ABSENT'
local mine = s.live(claim)
if mine then
  s.ungrant(claim, mine)
  status = 'RELEASED'
elseif s.get('w:' .. claim) then
  s.dequeue(claim)
  status = 'WITHDRAWN'
end
if refuse > 0 then
  s.bury(claim, now + refuse)
end
s.dispatch(nil)
s.finish()
return { status, s.waiters }
