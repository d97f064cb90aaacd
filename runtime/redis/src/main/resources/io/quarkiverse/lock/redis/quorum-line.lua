-- Who has the name here, and the notes of those who wait for it. Reads only.
--
-- KEYS[3] the notes of the name
-- Replies like quorum-inspect.lua up to the fence, but only waiters with a note: claim, since when by the clock of its JVM,
-- owner, note
local noted = {}
local notes = redis.call('HGETALL', KEYS[3])
for i = 1, #notes, 2 do
  local since = redis.call('ZSCORE', waiting, notes[i])
  if since then
    local claim, owner = string.match(notes[i], '^([^|]*)|[^|]*|?(.*)$')
    noted[#noted + 1] = { claim, whole(tonumber(since)), owner, notes[i + 1] }
  end
end
local reply = { #noted, noted }
if live then
  reply[3], reply[4] = holder, state[5] or ''
end
return reply
