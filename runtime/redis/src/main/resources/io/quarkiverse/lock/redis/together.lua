-- Asks for several names in one step: all of them, or none, and none is waited for. Only where nobody waits already, so nobody
-- is overtaken. May be run twice, as acquire.lua.
--
-- KEYS all different, in a cluster of one slot
-- ARGV[3] mode  [4] limit  [5] channel, '' for none  [6] lease in ms  [7] owner, then for each key: claim
-- Replies GRANTED, then for each key: fence | BUSY
local mode, limit, channel, lease, owner = ARGV[3], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6]), ARGV[7]

-- Makes the state that of another name; its claim.
local function turnTo(i)
  key = KEYS[i]
  f, n = 0, 0
  hold, wait, tomb, past = {}, {}, {}, {}
  holders, waiters = 0, 0
  return ARGV[7 + i]
end

for i = 1, #KEYS do
  local claim = turnTo(i)
  if load(nil) or tomb[claim] then
    return { 'BUSY' }
  end
  local mine = hold[claim]
  if mine and mine.kept or not mine and (waiters > 0 or not fits(mode, limit)) then
    return { 'BUSY' }
  end
end

local reply = { 'GRANTED' }
for i = 1, #KEYS do
  local claim = turnTo(i)
  load(nil)
  sweep()
  local mine = hold[claim]
  if mine then
    mine.expiry = math.max(mine.expiry, now + lease)
    writeHold(claim, mine)
  else
    mine = grant(claim, mode, limit, channel, owner, lease)
  end
  finish()
  reply[i + 1] = mine.fence
end
return reply
