-- What is known about one name, and what can be done with it. Changes are made in memory first; finish() writes them.
--
-- ONE hash per name, so that nothing of it can expire apart:
--   f          the last fence
--   h:<claim>  a holder:  expiry|mode|limit|channel|fence|since|owner; after the mode a ! if somebody asks for its release
--   k:<claim>  the same, for a holder that has finished and whose name stays taken until the expiry: of the claim's requests,
--              only a release changes it
--   m:<claim>  how many requests to shorten its lease got no reply, as far as its renewals have said: one of those that comes
--              after such a renewal shortens nothing
-- With more than one holder, a waiter or a tombstone also
--   v          2|waiters|last ticket|holders|mode|first waiter|last waiter|next hint|where it goes on|limits|bound|holder
--   e          the latest of all times, that of the last fence included
--   w:<claim>  a waiter:  ticket|mode|limit|channel|seenUntil|lease|owner
--   a:<claim>  the waiter after it, b:<claim> the one before it
--   p:<i>      bound|holder: a heap of the holders, four below each, by lower bounds of their expiries. The first is in v
--   i:<claim>  a holder's position in the heap, except for the first
--   x:<claim>  a tombstone: until when a late request of this claim is refused
--   x:!f       until|fence: holds up to this fence were taken by force, and none of them is put back in a grace
--   y:<i>      the claims of the tombstones, in their order; y first|last|when the first is past
-- Otherwise there are none of these. A format 1 hash with more than one holder has q instead of v.
-- If v says 2| and nothing else, or these do not fit together, they are all rebuilt from h, k, w and x.
-- All times are milliseconds of this server's clock. modes: X, S, L (at most <limit> holders). A ticket is the clock in us, or
-- a little more: above the last fence, so that it always rises.
-- An owner is free text, so it comes last. A number that may have more than 14 digits is printed with %.0f, since Lua's own
-- format loses some.

-- A waiter asks again within a second, so an expiry has to be known exactly only once it is that near.
local NEAR = 1000
-- The most holders that are told of waiters at once; the next waiter that pokes tells the others.
local MOST_TOLD = 500
local MOST_ARGUMENTS = 1000

-- One table, because each variable that a function here refers to costs time when the script begins. It has what is known:
--   fence, ticket (the last one), waiters, first, last, holders, mode, limits, root, hint, cursor, latest: see above
--   firstTomb, lastTomb, tombPast: y
--   known: fields as they are or will be, false if there is none; changed, isChanged: which of them are to be written
--   messages: what to publish after that;  there: whether a fence was stored;  stored: the latest of all times, as stored
-- and what can be done.
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
