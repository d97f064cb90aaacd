-- Precedes every script about one name.
--
-- KEYS[1] its hash: who has it or reserves it (t claim, a attempt, e end of the lease, p priority, o owner, s since when it is
--   here, c channel, g its fence once that is written, r if it is asked to finish, l the number of the last request for its
--   lease), f the last fence, n who was told to ask next, u until when it has precedence
-- KEYS[2] the waiters, claim|channel|owner, ordered by when they began to wait
-- ARGV[1] how long the hash outlives what is in it, in ms
local key, waiting, retention = KEYS[1], KEYS[2], tonumber(ARGV[1])
-- For how many ms a waiter that was told to ask has precedence here. That decides who comes first, never who gets in.
local PRECEDENCE = 50

local state = redis.call('HMGET', key, 't', 'e', 'f', 'a', 'g', 'o', 's', 'p', 'c', 'n', 'u')
local holder, expiry, fence = state[1], tonumber(state[2] or 0), tonumber(state[3] or 0)
local live = holder and expiry > now
local turn = tonumber(state[11] or 0)
-- A turn that ends later than any can was given before the clock was set back
local first = state[10] and turn > now and turn <= now + PRECEDENCE and state[10]

-- For how many ms the holder has had the name. A reminder writes a grant long after it was made, but its fence is the clock of
-- that time, or a little more.
local function heldFor()
  local since, given = tonumber(state[7]), tonumber(state[5] or '')
  return now - (given and math.min(since, math.floor(given / 1000)) or since)
end

-- At least until this clock has passed the last fence: it may have been set back.
local function keepUntil(last)
  redis.call('PEXPIREAT', key, whole(math.max(last, fence / 1000) + retention))
end

-- The name is free: tells the first waiter to ask. The message is only a hint, and grants nothing.
-- `asker` has just asked in vain, and asks again by itself. If it were told at once, it would ask without a pause for as long
-- as the other servers say no. It has its precedence nevertheless.
local function tellFirst(asker)
  while true do
    local next = redis.call('ZRANGE', waiting, 0, 0)[1]
    if not next then
      redis.call('HDEL', key, 'n', 'u')
      return
    end
    local claim, channel = string.match(next, '^([^|]*)|([^|]*)')
    local heard = next == asker and 1 or redis.pcall('PUBLISH', channel, 'H|' .. claim)
    if type(heard) ~= 'number' then
      return
    end
    if heard > 0 then
      redis.call('HSET', key, 'n', next, 'u', whole(now + PRECEDENCE))
      keepUntil(now)
      return
    end
    redis.call('ZREM', waiting, next)
  end
end

local function clear()
  redis.call('HDEL', key, 't', 'e', 'a', 'g', 'o', 's', 'p', 'c', 'r', 'l')
end
