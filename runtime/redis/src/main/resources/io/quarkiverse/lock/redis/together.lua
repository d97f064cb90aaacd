-- Asks for several names in one step, and gets all or none, without waiting. It gets them only if nobody waits for any, so
-- nobody is overtaken. Like acquire.lua, it may run twice.
--
-- KEYS all different; in a cluster, all in one slot
-- ARGV[3] mode  [4] limit  [5] channel, '' for none  [6] lease in ms  [7] owner, then for each key: claim
-- Replies GRANTED, then for each key: fence | BUSY
local as, limit, channel, lease, owner = ARGV[3], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6]), ARGV[7]

for i = 1, #KEYS do
  local claim = ARGV[7 + i]
  key = KEYS[i]
  if s.load(claim) or tonumber(s.get('x:' .. claim) or 0) > now then
    return { 'BUSY' }
  end
  local mine = s.live(claim)
  if mine and mine.kept or not mine and (s.first ~= '' or not s.fits(as, limit)) then
    return { 'BUSY' }
  end
end

local reply = { 'GRANTED' }
for i = 1, #KEYS do
  local claim = ARGV[7 + i]
  key = KEYS[i]
  s.load(claim)
  local mine = s.live(claim)
  if mine then
    mine.expiry = math.max(mine.expiry, now + lease)
    s.writeHold(claim, mine)
  else
    mine = s.grant(claim, as, limit, channel, owner, lease)
  end
  s.finish(true)
  reply[i + 1] = mine.fence
end
return reply
