-- Asks for the name. This one script serves the first request of a claim, its repetition after a lost reply, the poke of a
-- waiting claim, and the confirmation of a pushed grant. Any of them may arrive late or twice.
--
-- ARGV: see acquire-quick.lua
-- Replies GRANTED fence waiters | QUEUED lastFence waiters nextExpiry owner heldFor | BUSY (the same) | GONE | FORMAT v
local claim, as, limit, channel = ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local lease, waits, owner = tonumber(ARGV[7]), ARGV[8] == '1', ARGV[9]

local format = s.load(claim, all or nil)
if format then
  return { 'FORMAT', format }
end
if tonumber(s.get('x:' .. claim) or 0) > now then
  return { 'GONE' }
end
local mine = s.live(claim)
if mine and mine.kept then
  return { 'GONE' } -- as if it had a tombstone: it is over, and must not become a hold again
end

if not mine then
  s.dispatch(claim)
  mine = s.holder(claim)
end
if not mine and s.first == '' and s.fits(as, limit) then
  mine = s.grant(claim, as, limit, channel, owner, lease)
end
if mine then
  mine.expiry = math.max(mine.expiry, now + lease)
  mine.channel = channel
  s.writeHold(claim, mine)
  s.finish(true)
  return { 'GRANTED', mine.fence, s.waiters }
end

if waits then
  local w = s.get('w:' .. claim)
  -- If others wait already, the holders know: the first of the waiters has told them, or they heard of it with their grant.
  local begins = not w and s.first == ''
  local ticket = w and string.match(w, '^%d+')
  if not w then
    s.ticket = math.max(s.ticket + 1, s.fence + 1, us)
    ticket = number(s.ticket)
    s.enqueue(claim)
  end
  s.latest = math.max(s.latest, now + SEEN)
  s.put('w:' .. claim, ticket .. '|' .. as .. '|' .. ARGV[5] .. '|' .. channel .. '|' .. number(now + SEEN) .. '|' .. ARGV[7]
      .. '|' .. owner)
  -- The revoke hint: a holder that may hand the lock on inside its JVM must know that somebody waits outside. Waiters that poke
  -- repeat it, because messages get lost, but not every one of them does.
  if s.mode ~= 'L' and (begins or w and (now >= s.hint or s.hint > now + ROUND)) then
    local from = (begins or s.cursor > s.holders) and 1 or s.cursor
    local to = math.min(s.holders, from + MOST_TOLD - 1)
    s.eachHolder(from, to, function(who, h)
      if h.channel ~= '' and not h.kept then
        s.tell(h.channel, 'R|' .. who .. '|' .. number(s.ticket))
      end
    end)
    if to == s.holders then
      s.cursor, s.hint = 1, now + ROUND
    else
      s.cursor, s.hint = to + 1, now
    end
  end
end
s.finish(true)
local who, heldFor, expiry = s.inTheWay()
return { waits and 'QUEUED' or 'BUSY', number(s.fence), s.waiters, expiry, who, heldFor }
