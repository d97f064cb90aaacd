-- Writes grants that a majority has just renewed and this server does not know of.
--
-- KEYS[1] the marker, then for each grant: its hash, its tombstone
-- ARGV[1] retention in ms  [2] the longest lease: see quorum-life.lua  [3] the latest time by this server's clock: after it,
--   the grant may have ended, and somebody else may have had the name  [4] channel  [5] owner, then for each grant: claim,
--   attempt, fence, lease in ms, number of the last request for its lease
-- Replies how many were written
local written = 0
if sittingOut(KEYS[1], ARGV[2]) ~= 0 or now > tonumber(ARGV[3]) then
  return written
end
for i = 2, #KEYS, 2 do
  local key, tomb, at = KEYS[i], redis.call('GET', KEYS[i + 1]), 5 * i / 2
  local state = redis.call('HMGET', key, 't', 'e', 'f')
  local fence = tonumber(ARGV[at + 3])
  if not (state[1] and tonumber(state[2]) > now) and tonumber(state[3] or 0) <= fence
      and not (tomb and tonumber(tomb) >= tonumber(ARGV[at + 2])) then
    local ends = now + tonumber(ARGV[at + 4])
    redis.call('HDEL', key, 'p', 'n', 'u', 'r')
    -- The claim may still have a place here, from when others were in its way: it would count as a waiter
    redis.call('ZREM', key .. ':w', ARGV[at + 1] .. '|' .. ARGV[4] .. '|' .. ARGV[5])
    redis.call('HSET', key, 't', ARGV[at + 1], 'a', ARGV[at + 2], 'e', whole(ends), 's', whole(now), 'c', ARGV[4], 'o', ARGV[5],
      'f', whole(fence), 'g', whole(fence), 'l', ARGV[at + 5])
    redis.call('PEXPIREAT', key, whole(math.max(ends, fence / 1000) + ARGV[1]))
    written = written + 1
  end
end
return written
