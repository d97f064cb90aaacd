-- Says who holds the name and who waits for it. Reads only.
--
-- ARGV[3] how many holders at most
-- Replies STATE waiters, then for each holder: fence, mode, limit, heldFor, remaining, owner; then for each of the first
-- waiters, in their order, { mode, limit, waitingFor, owner } | FORMAT v
local MOST = 100
local format = s.load(nil)
if format then
  return { 'FORMAT', format }
end
local state = { 'STATE', 0 }
s.eachHolder(1, math.min(s.holders, tonumber(ARGV[3])), function(_, h)
  state[#state + 1] = h.fence
  state[#state + 1] = h.mode
  state[#state + 1] = h.limit
  state[#state + 1] = now - h.since
  state[#state + 1] = h.expiry - now
  state[#state + 1] = (h.kept and 'finished, kept by ' or '') .. h.owner
end)
local claim = s.first
for _ = 1, MOST do
  if claim == '' then
    break
  end
  s.fetch({ 'w:' .. claim, 'a:' .. claim })
  local w = s.get('w:' .. claim) or ''
  local ticket, mode, limit, seen, owner = string.match(w, '^(%d+)|(%a)|(%d+)|[^|]*|(%d+)|%d+|(.*)$')
  if ticket and (tonumber(seen) <= now or tonumber(seen) > now + SEEN) then
    s.waiters = s.waiters - 1 -- dead, and dropped when it comes to the head; or has not asked since the clock was set back
  elseif ticket then
    -- A ticket is the clock, or a little more
    state[#state + 1] = { mode, tonumber(limit), math.max(0, math.floor((us - tonumber(ticket)) / 1000)), owner }
  end
  claim = s.get('a:' .. claim) or ''
end
state[2] = s.waiters
return state
