-- Gives back what an attempt has here, if it has anything.
--
-- KEYS[3] the claim's tombstone
-- ARGV[2] claim  [3] attempt  [4] for how many ms a late request of it is refused, 0 if none can come  [5] channel|owner
--   [6] priority if the claim goes on waiting, else ''  [7] for how many ms from now the name stays taken all the same
-- Replies 1, or 0 if it had nothing
local me = ARGV[2] .. '|' .. ARGV[5]
local tomb = tonumber(ARGV[4])
-- ZREM comes first: it is not refused when the memory is full, and a script that has written may go on.
redis.call('ZREM', waiting, me)
if tomb > 0 then
  local before = tonumber(redis.call('GET', KEYS[3]) or 0)
  redis.call('SET', KEYS[3], whole(math.max(before, tonumber(ARGV[3]))), 'PX', tomb)
end
if ARGV[6] ~= '' then
  redis.call('ZADD', waiting, ARGV[6], me)
  redis.call('PEXPIRE', waiting, 10000)
end
-- Under another token: a renewal that comes late must not find it
local kept = 'kept:' .. ARGV[2]
if live and (holder == ARGV[2] or holder == kept) and tonumber(state[4]) <= tonumber(ARGV[3]) then
  local keep = tonumber(ARGV[7])
  if keep > 0 then
    -- All requests mean the same end, and the one that took least to arrive is nearest to it
    local ends = holder == kept and math.min(now + keep, expiry) or now + keep
    redis.call('HSET', key, 't', kept, 'e', whole(ends))
    keepUntil(ends)
  else
    clear()
    tellFirst(me)
  end
  return 1
end
if not live and first == me and ARGV[6] == '' then
  tellFirst()
end
return 0
