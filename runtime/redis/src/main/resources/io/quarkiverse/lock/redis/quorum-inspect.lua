-- Who has the name here, and how many wait.
--
-- Replies how many wait, and if somebody has it: claim, fence or '', owner, for how many ms, how many are left
local reply = { redis.call('ZCARD', waiting) }
if live then
  reply[2], reply[3], reply[4], reply[5], reply[6] = holder, state[5] or '', state[6], now - tonumber(state[7]), expiry - now
end
return reply
