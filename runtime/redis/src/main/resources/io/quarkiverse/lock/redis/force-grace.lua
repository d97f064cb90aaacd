-- In a grace, before force: the holder may be one that the data do not know, and must not come back either.
function s.dispatch()
  s.fence = math.max(s.fence + 1, us)
  s.put('f', number(s.fence))
  s.bury(FORCED, now + graceLeft)
end
