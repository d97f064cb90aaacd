-- Extends holds, each under its own key. A hold that is gone is never recreated.
--
-- ARGV[1] retention in ms  [2] channel, then for each key: claim, lease in ms, with a minus if the hold is to end no later than
--   that; and the number of the request, which rises for each claim: a late request for less must not undo a later one
-- Replies for each key 0 if its hold is gone; otherwise 1, plus 2 if somebody asks for its release, plus 4 if others wait;
--   then the time by this server's clock, in ms
local time = redis.call('TIME')
local now = math.floor((time[1] * 1000000 + time[2]) / 1000)
local reply = {}
for i, key in ipairs(KEYS) do
  local state = redis.call('HMGET', key, 't', 'e', 'r', 'l', 'f')
  reply[i] = 0
  if state[1] == ARGV[3 * i] and tonumber(state[2]) > now then
    local lease, number, last = tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2]), tonumber(state[4] or 0)
    local ends = lease < 0 and number >= last and now - lease or math.max(tonumber(state[2]), now + lease)
    redis.call('PEXPIREAT', key, string.format('%.0f', math.max(ends, (state[5] or 0) / 1000) + ARGV[1]))
    -- A process that was restored from a checkpoint has another channel than the one that asked
    redis.call('HSET', key, 'e', string.format('%.0f', ends), 'l', math.max(number, last), 'c', ARGV[2])
    reply[i] = 1 + (state[3] == '1' and 2 or 0) + (redis.call('ZCARD', key .. ':w') > 0 and 4 or 0)
  end
end
reply[#KEYS + 1] = now
return reply
