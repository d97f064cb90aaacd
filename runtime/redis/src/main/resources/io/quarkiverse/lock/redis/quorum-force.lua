-- Takes the name from its holder here. The next fence is greater nevertheless.
--
-- Replies as quorum-inspect.lua says who had the name, as far as the fence
if not live then
  return { 0, {} }
end
clear()
redis.pcall('PUBLISH', state[9], 'L|' .. holder .. '|' .. state[4])
tellFirst()
return { 0, {}, holder, state[5] or '' }
