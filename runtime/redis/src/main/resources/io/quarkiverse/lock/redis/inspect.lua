-- Says who holds the name and how many wait. Reads only.
--
-- Replies STATE waiters, then for each holder: fence, mode, limit, heldFor, remaining, owner | FORMAT v
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
return state
