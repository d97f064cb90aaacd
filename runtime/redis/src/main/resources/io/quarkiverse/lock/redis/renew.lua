-- Extends holds, each under its own key: in a cluster one at a time, else up to 500. Reads nothing but the hold and what
-- the prelude's finish() has left for it, so it stands alone. A hold that is gone is never made anew.
--
-- ARGV[1] retention in ms  [2] channel, '' for none, then for each key: claim, lease in ms; with a minus if the hold is to end
-- no later than that
-- Replies for each key: how many wait for it, or -1 if the hold is gone; and if somebody asks for its release, -2 if nobody
-- waits, -3 if one does, and so on. Behind that the last ticket, or the time, which the next one is not behind: by this the
-- holder tells which of two pieces of news of waiters is the later one
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now = math.floor(us / 1000)
local retention, channel = tonumber(ARGV[1]), ARGV[2]

local reply = {}
for i, key in ipairs(KEYS) do
  local field = 'h:' .. ARGV[2 * i + 1]
  local state = redis.call('HMGET', key, field, 'q', 'e', 'n')
  local expiry, rest = string.match(state[1] or '', '^(%d+)(|.*)$')
  if expiry and tonumber(expiry) > now then
    local lease = tonumber(ARGV[2 * i + 2])
    -- Else never shorter: a renewal that was delayed in a buffer must not undo a longer one after it.
    local lives = lease < 0 and now - lease or math.max(tonumber(expiry), now + lease)
    local last = math.max(lives, tonumber(state[3] or 0))
    -- First, because a script that has written may go on when the memory is full, and no lock may be lost over that.
    redis.call('PEXPIREAT', key, string.format('%.0f', last + retention))
    -- One that was granted before its JVM listened is told of everything from here on.
    if channel ~= '' then
      local before, after = string.match(rest, '^(|%a!?|%d+|)[^|]*(|.*)$')
      rest = before .. channel .. after
    end
    redis.call('HSET', key, field, string.format('%.0f', lives) .. rest)
    if state[3] then
      redis.call('HSET', key, 'e', string.format('%.0f', last))
    end
    local waiters = tonumber(state[2] or 0)
    reply[2 * i - 1] = string.match(rest, '^|%a!') and -2 - waiters or waiters
  else
    reply[2 * i - 1] = -1
  end
  reply[2 * i] = tonumber(state[4] or us)
end
return reply
