-- Asks whoever has the name here to finish. It is noted with the hold and goes with it; one that does not hear it finds out when
-- it renews. Who has finished and only keeps the name has nothing to give.
--
-- Replies as quorum-inspect.lua says who has the name, as far as the fence
if not live or string.sub(holder, 1, 5) == 'kept:' then
  return { 0, {} }
end
-- First, as it is not refused when the memory is full, and a script that has written may go on
redis.call('HDEL', key, '-') -- is never there
redis.call('HSET', key, 'r', '1')
redis.pcall('PUBLISH', state[9], 'A|' .. holder)
return { 0, {}, holder, state[5] or '' }
