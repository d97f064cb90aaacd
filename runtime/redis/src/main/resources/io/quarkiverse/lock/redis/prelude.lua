-- Read before acquire, together, release, keep, downgrade, ask, force and inspect: the state of one name, and what may be done with it.
--
-- ONE hash per name, so that nothing of it can expire apart:
--   f          the last fence
--   h:<claim>  a holder:  expiry|mode|limit|channel|fence|since|owner; after the mode a ! if somebody asks for its release
--   k:<claim>  the same, of one that has finished and whose name stays taken until then: nothing of the claim changes it any
--              more but a release
--   w:<claim>  a waiter:  ticket|mode|limit|channel|seenUntil|lease|owner
--   x:<claim>  a tombstone: until when a late request of this claim is refused
--   n          the last ticket; gone when nobody waits. Above the last fence and not behind the clock, so that it always rises
--   q          how many wait, e the latest of all times: what renew needs to know without reading everything;
--              missing while there is nothing but one holder
--   v          never written by this format: a later format that keeps the key writes it, and is refused here
-- All times are milliseconds of this server's clock. modes: X, S, L (at most <limit> holders).
-- An owner is free text, so it comes last. A fence is printed with %.0f: Lua's own way loses digits.
--
-- ARGV[1] how long the hash outlives what is in it, in ms; ARGV[2] '1' in a cluster
local key, retention, cluster = KEYS[1], tonumber(ARGV[1]), ARGV[2] == '1'

-- A grant that was pushed to a waiter lives this long until the waiter confirms it, or for its lease if that is shorter.
local CLAIM_LEASE = 3000
-- A waiter that has not asked for this long is dead. It asks every second.
local SEEN = 5000

local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now = math.floor(us / 1000)

local f, n = 0, 0
local hold, wait, tomb, past = {}, {}, {}, {}
local holders, waiters = 0, 0

local function number(x)
  return string.format('%.0f', x)
end

-- Reads the hash, or takes what has been read of it; what has expired is left out, and kept apart for sweep(). A waiter that
-- asks is alive, however late. Returns the format of a hash that is not ours to read.
local function load(asking, all)
  all = all or redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local field, value = all[i], all[i + 1]
    local kind, claim = string.sub(field, 1, 2), string.sub(field, 3)
    if kind == 'h:' or kind == 'k:' then
      local expiry, mode, asked, limit, channel, fence, since, owner =
          string.match(value, '^(%d+)|(%a)(!?)|(%d+)|([^|]*)|(%d+)|(%d+)|(.*)$')
      if tonumber(expiry) > now then
        hold[claim] = { expiry = tonumber(expiry), mode = mode, limit = tonumber(limit), channel = channel,
            fence = fence, since = tonumber(since), owner = owner, kept = kind == 'k:', asked = asked }
        holders = holders + 1
      else
        past[#past + 1] = field
      end
    elseif kind == 'w:' then
      local ticket, rest, seen = string.match(value, '^(%d+)(|%a|%d+|[^|]*|(%d+)|.*)$')
      if tonumber(seen) > now or claim == asking then
        wait[claim] = { ticket = tonumber(ticket), seen = tonumber(seen), rest = rest }
        waiters = waiters + 1
      else
        past[#past + 1] = field
      end
    elseif kind == 'x:' then
      if tonumber(value) > now then
        tomb[claim] = tonumber(value)
      else
        past[#past + 1] = field
      end
    elseif field == 'f' then
      f = tonumber(value)
    elseif field == 'n' then
      n = tonumber(value)
    elseif field == 'v' then
      return value
    end
  end
  return nil
end

-- Deletes what load() found expired.
local function sweep()
  for i = 1, #past do
    redis.call('HDEL', key, past[i])
  end
end

-- Whether a claim may join those who hold now. Modes exclude each other. Of limits the smallest counts, the claim's own or
-- that of a holder: while nodes disagree, as during a rolling deployment, nobody gets more company than it allows.
local function fits(mode, limit)
  if holders == 0 then
    return true
  end
  if mode == 'X' then
    return false
  end
  for _, h in pairs(hold) do
    if h.mode ~= mode then
      return false
    end
    limit = math.min(limit, h.limit)
  end
  return mode == 'S' or holders < limit
end

-- Field and value of a holder.
local function written(claim, h)
  return (h.kept and 'k:' or 'h:') .. claim, number(h.expiry) .. '|' .. h.mode .. (h.asked or '') .. '|'
      .. number(h.limit) .. '|' .. h.channel .. '|' .. h.fence .. '|' .. number(h.since) .. '|' .. h.owner
end

local function writeHold(claim, h)
  redis.call('HSET', key, written(claim, h))
end

-- The clock is the floor of the fence: it keeps rising when all data is lost, without a record per name for ever.
local function grant(claim, mode, limit, channel, owner, lease)
  f = math.max(f + 1, us)
  local h = { expiry = now + lease, mode = mode, limit = limit, channel = channel, fence = number(f), since = now,
      owner = owner }
  redis.call('HSET', key, 'f', h.fence, written(claim, h))
  hold[claim] = h
  holders = holders + 1
  return h
end

local function ungrant(claim)
  redis.call('HDEL', key, 'h:' .. claim, 'k:' .. claim)
  hold[claim] = nil
  holders = holders - 1
end

-- Whether somebody hears this channel, by the probe that a client ignores. It comes before anything is granted, and nothing
-- that a later line may undo is ever published: a message cannot be called back, it is replicated like all else, and so it
-- reaches also a subscriber that hangs on a replica, as on a master that was demoted and lives on, and is not counted here.
-- In a cluster the count is that of one node and means nothing; where publishing is forbidden there is none.
local heard = {}
local function heardBy(channel)
  if heard[channel] == nil then
    heard[channel] = cluster or redis.pcall('PUBLISH', channel, 'P|0') ~= 0
  end
  return heard[channel]
end

-- Hands the name to those who wait, in their order, up to the first who does not fit. The waiter whose request this is
-- learns it from the reply, all others by a message. Nobody who hears it means a dead JVM, so the next one gets it. A waiter
-- without a channel finds the grant when it asks again.
local function dispatch(asking)
  while waiters > 0 do
    local head, w
    for claim, each in pairs(wait) do
      if not w or each.ticket < w.ticket then
        head, w = claim, each
      end
    end
    -- Of those behind the first, nothing but their tickets counts, so this is not read of all of them.
    local mode, limit, channel, lease, owner = string.match(w.rest, '^|(%a)|(%d+)|([^|]*)|%d+|(%d+)|(.*)$')
    limit = tonumber(limit)
    if not fits(mode, limit) then
      return
    end
    redis.call('HDEL', key, 'w:' .. head)
    wait[head] = nil
    waiters = waiters - 1
    local told = head ~= asking and channel ~= ''
    if not told or heardBy(channel) then
      grant(head, mode, limit, channel, owner, math.min(CLAIM_LEASE, tonumber(lease)))
      if told then
        redis.pcall('PUBLISH', channel, 'G|' .. head .. '|' .. number(f) .. '|' .. number(waiters))
      end
    end
  end
end

-- Ends every script that writes: counters for renew, and the hash's own end after everything in it.
local function finish()
  local last, entries = now, 0
  for _, h in pairs(hold) do
    last, entries = math.max(last, h.expiry), entries + 1
  end
  for _, w in pairs(wait) do
    last, entries = math.max(last, w.seen), entries + 1
  end
  for _, untilTime in pairs(tomb) do
    last, entries = math.max(last, untilTime), entries + 1
  end
  -- First, because a script that has written may go on when the memory is full.
  redis.call('PEXPIREAT', key, number(last + retention))
  if entries <= 1 and entries == holders then
    redis.call('HDEL', key, 'q', 'e', 'n')
  else
    redis.call('HSET', key, 'q', number(waiters), 'e', number(last))
  end
end

-- Who has held longest: what a claim that has to wait or to give up is told. Also when the first of them may expire.
local function inTheWay()
  local first, expiry
  for _, h in pairs(hold) do
    if not first or h.since < first.since then
      first = h
    end
    expiry = math.min(expiry or h.expiry, h.expiry)
  end
  if not first then
    return '', 0, 0
  end
  return first.owner, now - first.since, expiry - now
end
