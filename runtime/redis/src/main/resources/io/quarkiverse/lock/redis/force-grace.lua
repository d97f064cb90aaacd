-- In a grace, before force.lua: there may be a holder that the data lack, and it must not come back either. A hold that has been
-- put back since the release was asked for may have any fence, and nobody has been granted the name.
ARGV[3] = math.huge

function s.dispatch()
  s.fence = math.max(s.fence + 1, us)
  s.put('f', number(s.fence))
  s.bury(FORCED, now + graceLeft)
end
