-- Returns the holders of the name, and the notes of its waiters. Reads only.
--
-- KEYS[2] the notes of the name
-- Replies LINE, then for each holder { fence, mode, limit }, and for each waiter with a note
-- { claim, ticket, owner, note } | FORMAT v
local format = s.load(nil)
if format then
  return { 'FORMAT', format }
end
local line = { 'LINE' }
s.eachHolder(1, s.holders, function(_, h)
  if h.expiry > now then
    line[#line + 1] = { h.fence, h.mode, h.limit }
  end
end)
local notes = s.waiters > 0 and redis.call('HGETALL', KEYS[2]) or {}
for i = 1, #notes, 2 do
  local w = redis.call('HGET', key, 'w:' .. notes[i]) or ''
  local ticket, seen, owner = string.match(w, '^(%d+)|%a|%d+|[^|]*|(%d+)|%d+|(.*)$')
  if ticket and tonumber(seen) > now then
    line[#line + 1] = { notes[i], ticket, owner, notes[i + 1] }
  end
end
return line
