-- Ends a grant some time from now, sooner or later than its lease would: until then the name stays taken. Touches only what
-- carries the claim, so it can be repeated until it is answered. A renewal that comes later does not find it any more.
--
-- ARGV[3] claim  [4] for how many ms from now  [5] for how many ms later requests of the claim are to be refused: 0 if all of
-- them were answered, so that none can still be on its way
-- Replies KEPT waiters | ABSENT waiters | FORMAT v
local claim, keep, refuse = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

local format = load(nil)
if format then
  return { 'FORMAT', format }
end
sweep()
local status = 'ABSENT'
local mine = hold[claim]
if mine then
  redis.call('HDEL', key, 'h:' .. claim)
  mine.expiry, mine.kept = now + keep, true
  writeHold(claim, mine)
  status = 'KEPT'
end
if refuse > 0 then
  tomb[claim] = now + math.max(refuse, keep)
  redis.call('HSET', key, 'x:' .. claim, number(tomb[claim]))
end
dispatch(nil)
finish()
return { status, waiters }
