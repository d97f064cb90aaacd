-- Asks for the name: the first request of a claim, its repetition after a lost reply, the poke of one that waits, and the
-- confirmation of a pushed grant are all this script, and any of them may arrive late or twice.
--
-- ARGV[3] claim  [4] mode  [5] limit  [6] channel, '' for none  [7] lease in ms  [8] '1' to wait  [9] owner
-- Replies GRANTED fence waiters | QUEUED lastFence waiters nextExpiry owner heldFor | BUSY (the same) | GONE | FORMAT v
local claim, mode, limit, channel = ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local lease, waits, owner = tonumber(ARGV[7]), ARGV[8] == '1', ARGV[9]

-- Nobody holds or waits, and there is no tombstone: at most the last fence.
local all = redis.call('HGETALL', key)
if #all == 0 or #all == 2 and all[1] == 'f' then
  f = tonumber(all[2] or 0)
  local h = grant(claim, mode, limit, channel, owner, lease)
  redis.call('PEXPIREAT', key, number(h.expiry + retention))
  return { 'GRANTED', h.fence, 0 }
end

local format = load(claim, all)
if format then
  return { 'FORMAT', format }
end
if tomb[claim] then
  return { 'GONE' }
end
sweep()
if hold[claim] and hold[claim].kept then
  return { 'GONE' } -- as if it had a tombstone: it is over, and must not become a hold again
end

if not hold[claim] then
  dispatch(claim)
end
local mine = hold[claim]
if not mine and waiters == 0 and fits(mode, limit) then
  mine = grant(claim, mode, limit, channel, owner, lease)
end
if mine then
  mine.expiry = math.max(mine.expiry, now + lease)
  mine.channel = channel
  writeHold(claim, mine)
  finish()
  return { 'GRANTED', mine.fence, waiters }
end

if not waits then
  finish()
  local who, heldFor, expiry = inTheWay()
  return { 'BUSY', number(f), waiters, expiry, who, heldFor }
end

local w = wait[claim]
-- Behind others: the first of them has told the holders, or they heard of it with their grant.
local told = not w and waiters > 0
if not w then
  n = math.max(n + 1, f + 1, us)
  w = { ticket = n }
  wait[claim] = w
  waiters = waiters + 1
end
w.seen = now + SEEN
redis.call('HSET', key, 'n', number(n), 'w:' .. claim, number(w.ticket) .. '|' .. mode .. '|' .. number(limit) .. '|'
    .. channel .. '|' .. number(w.seen) .. '|' .. number(lease) .. '|' .. owner)
-- The revoke hint: who may hand the lock on inside its JVM is to know that somebody waits outside. Repeated with every
-- poke, because messages get lost.
if not told then
  for holder, h in pairs(hold) do
    if h.mode ~= 'L' and h.channel ~= '' and not h.kept then
      redis.pcall('PUBLISH', h.channel, 'R|' .. holder .. '|' .. number(n))
    end
  end
end
finish()
local who, heldFor, expiry = inTheWay()
return { 'QUEUED', number(f), waiters, expiry, who, heldFor }
