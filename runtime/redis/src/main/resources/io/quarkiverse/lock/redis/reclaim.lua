-- Replaces renew.lua in a grace: holds that the data lack are put back, and all are extended.
-- Outside a grace, none is put back.
--
-- ARGV[1] retention in ms  [2] channel, '' for none, then for each key: claim, and its lease as for renew; then
-- incarnation, owner, and for each key: fence, mode, limit
-- Replies as renew
local count = #KEYS
local from = 2 + 2 * count
if ARGV[from + 1] ~= incarnation then
  return redis.error_reply('INCARNATION ' .. incarnation)
end
local reply = {}
for i = 1, count do
  local claim = ARGV[2 * i + 1]
  local lease, lost = string.match(ARGV[2 * i + 2], '^(-?%d+)#?(%d*)$')
  lease, lost = tonumber(lease), tonumber(lost) or 0
  local at = from + 3 * i
  key = KEYS[i]
  s.speaks({ owner = ARGV[from + 2], channel = ARGV[2], fence = ARGV[at], mode = ARGV[at + 1], limit = ARGV[at + 2],
      lease = math.abs(lease) })
  local mine = not s.load(claim) and s.live(claim)
  if mine and not mine.kept then
    if mine.mode == 'X' and ARGV[at + 1] == 'S' then
      mine.mode, s.mode = 'S', 'S' -- the data are from before its downgrade
    end
    local known = (lease < 0 or lost > 0) and tonumber(s.get('m:' .. claim) or 0) or 0
    if lost > known then
      s.put('m:' .. claim, tostring(lost))
    end
    mine.expiry = lease < 0 and lost >= known and now - lease or math.max(mine.expiry, now + lease)
    if ARGV[2] ~= '' then
      mine.channel = ARGV[2]
    end
    s.writeHold(claim, mine)
    local place = s.find(claim)
    if place == 1 and s.holders == 1 then
      s.root = number(mine.expiry) .. '|' .. claim
    elseif place then
      s.sift(place, number(mine.expiry) .. '|' .. claim)
    end
    s.finish()
    reply[2 * i - 1] = mine.asked ~= '' and -2 - s.waiters or s.waiters
  else
    reply[2 * i - 1] = -1
  end
  reply[2 * i] = s.waiters > 0 and s.ticket or math.max(s.ticket, us)
end
return reply
