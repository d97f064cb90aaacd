-- Ends a grant some time from now, sooner or later than its lease would: until then the name stays taken. Touches only what
-- carries the claim, so it can be repeated until it is answered. A renewal that comes later does not find it any more.
--
-- ARGV[3] claim  [4] for how many ms from now  [5] for how many ms later requests of the claim are to be refused: 0 if all of
-- them were answered, so that none can still be on its way
-- Replies KEPT waiters | ABSENT waiters | FORMAT v
local claim, keep, refuse = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

local format = s.load(claim)
if format then
  return { 'FORMAT', format }
end
local status = 'ABSENT'
local mine = s.live(claim)
if mine then
  s.put('h:' .. claim, false)
  mine.expiry, mine.kept = now + keep, true
  s.writeHold(claim, mine)
  local i = s.find(claim)
  if i == 1 and s.holders == 1 then
    s.root = number(mine.expiry) .. '|' .. claim
  elseif i then
    s.sift(i, number(mine.expiry) .. '|' .. claim)
  end
  status = 'KEPT'
end
if refuse > 0 then
  s.bury(claim, now + math.max(refuse, keep))
end
s.dispatch(nil)
s.finish()
return { status, s.waiters }
