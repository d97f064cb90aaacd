-- Who has the name here, and who waits for it. Reads only.
--
-- Replies how many wait; the first of them, each with its claim, for how many ms it has waited by the clock of its JVM, and its
-- owner; and if somebody has the name: claim, fence or '', owner, for how many ms it has had the name, how many ms are left,
-- since when this server has known of it, in ms
local MOST = 100
local line = {}
local first = redis.call('ZRANGE', waiting, 0, MOST - 1, 'WITHSCORES')
for i = 1, #first, 2 do
  local claim, owner = string.match(first[i], '^([^|]*)|[^|]*|?(.*)$')
  line[#line + 1] = { claim, math.max(0, now - tonumber(first[i + 1])), owner }
end
local reply = { redis.call('ZCARD', waiting), line }
if live then
  local owner = (string.sub(holder, 1, 5) == 'kept:' and 'finished, kept by ' or '') .. state[6]
  reply[3], reply[4], reply[5], reply[6], reply[7] = holder, state[5] or '', owner, heldFor(), expiry - now
  reply[8] = state[7]
end
return reply
