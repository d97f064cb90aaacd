-- In a grace, before force.lua: there may be a holder that the data lack, and it must not come back either.
function s.dispatch()
  s.fence = math.max(s.fence + 1, us)
  s.put('f', number(s.fence))
  s.bury(FORCED, now + graceLeft)
end
