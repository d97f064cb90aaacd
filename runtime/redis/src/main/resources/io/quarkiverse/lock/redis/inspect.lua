-- Says who holds the name and who waits for it. Reads only.
--
-- Replies STATE waiters, then for each holder: fence, mode, limit, heldFor, remaining, owner; then for each of the first
-- waiters, in their order, { mode, limit, waitingFor, owner } | FORMAT v
local MOST = 100
local format = load(nil)
if format then
  return { 'FORMAT', format }
end
local state = { 'STATE', waiters }
for _, h in pairs(hold) do
  state[#state + 1] = h.fence
  state[#state + 1] = h.mode
  state[#state + 1] = h.limit
  state[#state + 1] = now - h.since
  state[#state + 1] = h.expiry - now
  state[#state + 1] = h.owner
end
local line = {}
for _, w in pairs(wait) do
  line[#line + 1] = w
end
table.sort(line, function(a, b) return a.ticket < b.ticket end)
for i = 1, math.min(#line, MOST) do
  local mode, limit, owner = string.match(line[i].rest, '^|(%a)|(%d+)|[^|]*|%d+|%d+|(.*)$')
  if mode then
    -- A ticket is the clock, or a little more
    state[#state + 1] = { mode, tonumber(limit), math.max(0, math.floor((us - line[i].ticket) / 1000)), owner }
  end
end
return state
