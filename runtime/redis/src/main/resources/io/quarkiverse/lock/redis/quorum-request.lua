-- Asks the holder here to finish. The request is noted with the hold and disappears with it; a holder that misses the message
-- finds out when it renews. A holder that has finished and only keeps the name has nothing to give back.
--
-- Replies like quorum-inspect.lua up to the fence, without waiters
if not live or string.sub(holder, 1, 5) == 'kept:' then
  return { 0, {} }
end
-- HDEL comes first: it is not refused when the memory is full, and a script that has written may go on
redis.call('HDEL', key, '-') -- is never there
redis.call('HSET', key, 'r', '1')
redis.pcall('PUBLISH', state[9], 'A|' .. holder)
return { 0, {}, holder, state[5] or '' }
