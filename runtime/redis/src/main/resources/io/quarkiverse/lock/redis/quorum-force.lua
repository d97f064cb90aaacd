-- Takes the name from its holder here. The next fence is greater nevertheless.
--
-- Replies 1 if that was a grant, else 0
if not live then
  return 0
end
clear()
redis.pcall('PUBLISH', state[9], 'L|' .. holder .. '|' .. state[4])
tellFirst()
return state[5] and 1 or 0
