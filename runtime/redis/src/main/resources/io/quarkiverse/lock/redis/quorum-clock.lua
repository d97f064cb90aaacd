-- Precedes every script of a quorum except quorum-renew.lua.
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now = math.floor(us / 1000)

local function whole(number)
  return string.format('%.0f', number)
end
