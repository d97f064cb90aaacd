-- What is known of one name, and what may be done with it. Everything is done in memory first; finish() writes it.
--
-- ONE hash per name, so that nothing of it can expire apart:
--   f          the last fence
--   h:<claim>  a holder:  expiry|mode|limit|channel|fence|since|owner; after the mode a ! if somebody asks for its release
--   k:<claim>  the same, of one that has finished and whose name stays taken until then: nothing of the claim changes it any
--              more but a release
-- With more than one holder, a waiter or a tombstone also
--   v          2|waiters|last ticket|holders|mode|first waiter|last waiter|next hint|where it goes on|limits|bound|holder
--   e          the latest of all times
--   w:<claim>  a waiter:  ticket|mode|limit|channel|seenUntil|lease|owner
--   a:<claim>  the waiter after it, b:<claim> the one before it
--   p:<i>      bound|holder: a heap of the holders, four below each, by lower bounds of their expiries. The first is in v
--   i:<claim>  where a holder is in it, but for the first
--   x:<claim>  a tombstone: until when a late request of this claim is refused
--   y:<i>      whose the tombstones are, in their order; y first|last|when the first is past
-- Without them there is nothing of these; a format 1 hash that has more than one holder has q instead of v.
-- A v that says nothing else than 2| has all of this made anew from h, k, w and x, and so does what does not fit together.
-- All times are milliseconds of this server's clock. modes: X, S, L (at most <limit> holders). A ticket is the clock in us, or
-- a little more: above the last fence, so that it always rises.
-- An owner is free text, so it comes last. What may have more than 14 digits is printed with %.0f: Lua's own way loses some.

-- Who waits asks again within a second, so an expiry has to be known exactly only when it is as near as that.
local NEAR = 1000
-- So many holders are told of waiters at once; the others by the next one who pokes.
local MOST_TOLD = 500
local MOST_ARGUMENTS = 1000

-- One table, because each variable that a function here refers to costs time when the script begins: what is known
--   fence, ticket (the last one), waiters, first, last, holders, mode, limits, root, hint, cursor, latest: see above
--   firstTomb, lastTomb, tombPast: y
--   known: fields as they are or will be, false if there is none; changed, isChanged: which of them are to be written
--   messages: what is to be told after that;  there: whether a fence was stored;  stored: the latest of all times that was
-- and what may be done.
local s = { heard = {} }

local function number(x)
  return string.format('%.0f', x)
end

function s.fetch(fields)
  for from = 1, #fields, MOST_ARGUMENTS do
    local values = redis.call('HMGET', key, unpack(fields, from, math.min(#fields, from + MOST_ARGUMENTS - 1)))
    for i = 1, #values do
      local field = fields[from + i - 1]
      if s.known[field] == nil then
        s.known[field] = values[i]
      end
    end
  end
end

function s.get(field)
  local value = s.known[field]
  if value == nil then
    value = redis.call('HGET', key, field)
    s.known[field] = value
  end
  return value
end

-- Without a value the field is deleted.
function s.put(field, value)
  value = value or false
  if s.known[field] ~= value then
    s.known[field] = value
    if not s.isChanged[field] then
      s.isChanged[field] = true
      s.changed[#s.changed + 1] = field
    end
  end
end

function s.tell(channel, message)
  s.messages[#s.messages + 1] = channel
  s.messages[#s.messages + 1] = message
end

-- The holder of that claim, nil if there is none.
function s.holder(claim)
  local own, kept = s.get('h:' .. claim), false
  if not own then
    own, kept = s.get('k:' .. claim), true
  end
  if not own then
    return nil
  end
  local expiry, mode, asked, limit, channel, fence, since, owner =
      string.match(own, '^(%d+)|(%a)(!?)|(%d+)|([^|]*)|(%d+)|(%d+)|(.*)$')
  return { expiry = tonumber(expiry), mode = mode, limit = tonumber(limit), channel = channel, fence = fence,
      since = tonumber(since), owner = owner, kept = kept, asked = asked }
end

function s.writeHold(claim, h)
  s.latest = math.max(s.latest, h.expiry)
  s.put((h.kept and 'k:' or 'h:') .. claim, number(h.expiry) .. '|' .. h.mode .. h.asked .. '|' .. number(h.limit) .. '|'
      .. h.channel .. '|' .. h.fence .. '|' .. number(h.since) .. '|' .. h.owner)
end
