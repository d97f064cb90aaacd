-- Phase 1: reserves the name under a claim's attempt if it is free here.
--
-- KEYS[3] the claim's tombstone  [4] the marker
-- ARGV[2] the longest lease: see quorum-life.lua  [3] claim  [4] attempt  [5] lease in ms  [6] priority  [7] channel
--   [8] '1' if it waits  [9] owner
-- Replies one of
--   YES, the highest fence
--   HELD, '1' if the caller waits before all others, the owner, for how many ms it has had the name, how many ms are left, '1'
--     if that is a grant and not only a reservation
--   KEPT, '1' if the caller waits before all others, for how many ms somebody else has precedence
--   OUT, for how many ms the server sits out
--   LONGEST, what others agreed on
--   GONE if that attempt is over
local tomb = redis.call('GET', KEYS[3])
if tomb and tonumber(tomb) >= tonumber(ARGV[4]) then
  return { 'GONE' }
end
local out, other = sittingOut(KEYS[4], ARGV[2])
if not out then
  return { 'LONGEST', other }
end
if out > 0 then
  return { 'OUT', out }
end
local me = ARGV[3] .. '|' .. ARGV[7] .. '|' .. ARGV[9]
local own = live and holder == ARGV[3]
if own and tonumber(state[4]) > tonumber(ARGV[4]) then
  return { 'GONE' } -- late, and a later attempt of the claim has it
end
if own and state[4] == ARGV[4] and state[5] then
  return { 'YES', whole(math.max(fence, us)) } -- late as well, and the attempt has its grant
end
local kept = first and first ~= me
if (live or kept) and not own then
  local before = '0'
  if ARGV[8] == '1' then
    redis.call('ZADD', waiting, ARGV[6], me)
    redis.call('PEXPIRE', waiting, 10000)
    -- Nobody else would miss a dead one while the name is taken: each looks after the next, and the last after the first. One
    -- that lives is back in its place when it asks again.
    local behind = redis.call('ZRANK', waiting, me) + 1
    local next = redis.call('ZRANGE', waiting, behind, behind)[1] or redis.call('ZRANGE', waiting, 0, 0)[1]
    if next ~= me and redis.pcall('PUBLISH', string.match(next, '^[^|]*|([^|]*)'), 'P|0') == 0 then
      redis.call('ZREM', waiting, next)
    end
    before = redis.call('ZRANGE', waiting, 0, 0)[1] == me and '1' or '0'
    -- The holder is told of the first in line each time that one asks
    if state[5] and live and before == '1' then
      redis.pcall('PUBLISH', state[9], 'W|' .. holder)
    end
  end
  if live then
    return { 'HELD', before, state[6], heldFor(), expiry - now, state[5] and '1' or '0' }
  end
  return { 'KEPT', before, tonumber(state[11]) - now }
end
local ends = math.max(now + tonumber(ARGV[5]), own and expiry or 0)
-- HSET comes first: it is refused when the memory is full, but a script that has written may go on
redis.call('HSET', key, 't', ARGV[3], 'e', whole(ends), 'a', ARGV[4], 'p', ARGV[6], 'c', ARGV[7], 'o', ARGV[9], 's', whole(now))
keepUntil(ends) -- behind what makes the hash
if own then
  redis.call('HDEL', key, 'g', 'n', 'u', 'r')
else
  redis.call('HDEL', key, 'g', 'n', 'u', 'r', 'l')
end
redis.call('ZREM', waiting, me)
if state[10] then
  redis.call('ZREM', waiting, state[10])
end
return { 'YES', whole(math.max(fence, us)) }
