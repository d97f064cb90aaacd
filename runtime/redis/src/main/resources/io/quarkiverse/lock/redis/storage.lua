-- Reads what is stored about a name, rebuilds what is derived from it, and writes the changes.

-- Rebuilds what is derived from the records of holders, waiters and tombstones, including the changes made here.
function s.rebuild()
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    if s.known[all[i]] == nil then
      s.known[all[i]] = all[i + 1]
    end
  end
  local holders, waiters, tombs, stale = {}, {}, {}, {}
  for field, value in pairs(s.known) do
    local kind, claim = string.sub(field, 1, 2), string.sub(field, 3)
    if value then
      local leading = tonumber(string.match(value, '^%d+'))
      if kind == 'h:' or kind == 'k:' then
        holders[#holders + 1] = { claim, leading }
      elseif kind == 'w:' then
        waiters[#waiters + 1] = { claim, leading }
      elseif kind == 'x:' then
        tombs[#tombs + 1] = { claim, leading }
      elseif kind == 'p:' or kind == 'i:' or kind == 'a:' or kind == 'b:' or kind == 'y:' then
        stale[#stale + 1] = field
      end
    end
  end
  for _, field in ipairs(stale) do
    s.put(field, false)
  end
  local function sooner(one, other)
    return one[2] < other[2] or one[2] == other[2] and one[1] < other[1]
  end
  table.sort(holders, sooner)
  table.sort(waiters, sooner)
  table.sort(tombs, sooner)
  s.waiters, s.first, s.last = 0, '', ''
  s.holders, s.mode, s.limits, s.root, s.hint, s.cursor = 0, '', '', '|', 0, 1
  for _, each in ipairs(holders) do
    local h = s.holder(each[1])
    s.holders = s.holders + 1
    s.place(s.holders, number(h.expiry) .. '|' .. each[1])
    s.mode = (s.mode == '' or s.mode == h.mode) and h.mode or 'X'
    s.count(h.limit, 1)
    s.latest = math.max(s.latest, h.expiry)
  end
  for _, each in ipairs(waiters) do
    s.enqueue(each[1])
    s.ticket = math.max(s.ticket, each[2])
    s.latest = math.max(s.latest, tonumber(string.match(s.known['w:' .. each[1]], '^%d+|%a|%d+|[^|]*|(%d+)') or 0))
  end
  s.firstTomb, s.lastTomb, s.tombPast = 1, 0, 0
  for _, each in ipairs(tombs) do
    s.lastTomb = s.lastTomb + 1
    s.put('y:' .. s.lastTomb, each[1])
    s.latest = math.max(s.latest, each[2])
  end
  if s.lastTomb > 0 then
    s.tombPast = tombs[1][2]
  end
end

-- Reads the name, with one claim if one is given, or takes what has already been read. Leaves out what has expired. Returns the
-- format of a hash that this version must not read, otherwise nil.
function s.load(claim, all)
  s.known, s.changed, s.isChanged, s.messages = {}, {}, {}, {}
  s.fence, s.ticket, s.waiters, s.first, s.last, s.latest = 0, 0, 0, '', '', 0
  s.holders, s.mode, s.limits, s.root, s.hint, s.cursor = 0, '', '', '|', 0, 1
  s.firstTomb, s.lastTomb, s.tombPast = 1, 0, 0
  if not all then
    local fields = { 'v', 'f', 'e', 'y' }
    if claim then
      fields = { 'v', 'f', 'e', 'y', 'h:' .. claim, 'k:' .. claim, 'w:' .. claim, 'x:' .. claim }
    end
    s.fetch(fields)
  end
  local v = s.known.v
  if v then
    if string.sub(v, 1, 2) ~= '2|' then
      return string.match(v, '^%d+') or v
    end
    s.there, s.stored = s.known.f, s.known.e
    s.fence, s.latest = tonumber(s.known.f or 0), tonumber(s.known.e or 0)
    local waiters, ticket, holders, as, head, tail, nextHint, goesOn, allowed, heap =
        string.match(v, '^2|(%d+)|(%d+)|(%d+)|(%a?)|([^|]*)|([^|]*)|(%d+)|(%d+)|([^|]*)|(%d*|[^|]*)$')
    if heap and s.stored then
      s.waiters, s.ticket, s.first, s.last = tonumber(waiters), tonumber(ticket), head, tail
      s.holders, s.mode, s.limits, s.root = tonumber(holders), as, allowed, heap
      s.hint, s.cursor = tonumber(nextHint), tonumber(goesOn)
      if s.known.y then
        local from, to, past = string.match(s.known.y, '^(%d+)|(%d+)|(%d+)$')
        s.firstTomb, s.lastTomb, s.tombPast = tonumber(from), tonumber(to), tonumber(past)
      end
    else
      s.rebuild()
    end
  else
    all = all or redis.call('HGETALL', key)
    local who, records = nil, 0
    s.known.v, s.known.e, s.known.y, s.known.f = false, false, false, false
    if claim then
      s.known['h:' .. claim], s.known['k:' .. claim] = false, false
      s.known['w:' .. claim], s.known['x:' .. claim] = false, false
    end
    for i = 1, #all, 2 do
      local field = all[i]
      local kind = string.sub(field, 1, 2)
      s.known[field] = all[i + 1]
      if kind == 'h:' or kind == 'k:' then
        who, records = string.sub(field, 3), records + 1
      elseif kind == 'w:' or kind == 'x:' then
        records = records + 2
      end
    end
    if s.known.v then
      return s.load(claim)
    elseif s.known.q then
      return '1'
    end
    s.there, s.stored = s.known.f, false
    s.fence = tonumber(s.known.f or 0)
    if records > 1 then
      s.rebuild()
    elseif who then
      s.known['h:' .. who], s.known['k:' .. who] = s.known['h:' .. who] or false, s.known['k:' .. who] or false
      local h = s.holder(who)
      s.holders, s.mode, s.latest = 1, h.mode, h.expiry
      s.root = number(h.expiry) .. '|' .. who
      s.count(h.limit, 1)
    end
  end
  if claim and s.known['w:' .. claim] and s.first == '' then
    s.rebuild()
  end
  s.dropTombs()
  s.dropExpired()
  return nil
end

function s.write(command, arguments)
  for from = 1, #arguments, MOST_ARGUMENTS do
    redis.call(command, key, unpack(arguments, from, math.min(#arguments, from + MOST_ARGUMENTS - 1)))
  end
end

-- Writes the changes, and then publishes the messages. Only a request for a lock begins with a command that is refused when the
-- memory is full. Everything else begins with one that is not, since a script that has written may go on.
function s.finish(asks)
  local clock = math.floor(s.fence / 1000) -- when the last fence was given; later than now if the clock was set back
  s.latest = math.max(s.latest, clock)
  local expiry = s.latest
  local alone = s.first == '' and s.holders <= 1 and s.firstTomb > s.lastTomb
  if alone then
    for _, field in ipairs({ 'v', 'e', 'y' }) do
      if s.known[field] then
        s.put(field, false)
      end
    end
    expiry = math.max(s.holders == 1 and s.holder(claimOf(s.root)).expiry or now, clock)
  else
    s.put('v', '2|' .. s.waiters .. '|' .. number(s.ticket) .. '|' .. s.holders .. '|' .. s.mode .. '|' .. s.first .. '|'
        .. s.last .. '|' .. number(s.hint) .. '|' .. s.cursor .. '|' .. s.limits .. '|' .. s.root)
    s.put('e', number(s.latest))
    if s.firstTomb <= s.lastTomb then
      s.put('y', s.firstTomb .. '|' .. s.lastTomb .. '|' .. number(s.tombPast))
    elseif s.known.y then
      s.put('y', false)
    end
  end
  local sets, deletions = {}, {}
  for _, field in ipairs(s.changed) do
    if s.known[field] then
      sets[#sets + 1] = field
      sets[#sets + 1] = s.known[field]
    else
      deletions[#deletions + 1] = field
    end
  end
  if #s.changed > 0 then
    -- A key that does not exist cannot be given an expiry
    local behind = asks or not s.there
    local ends = alone or s.known.e ~= s.stored or not behind and #deletions == 0
    if behind then
      if not asks then
        redis.call('HDEL', key, '-') -- is never there
      end
      s.write('HSET', sets)
    elseif ends then
      redis.call('PEXPIREAT', key, number(expiry + retention))
    end
    s.write('HDEL', deletions)
    if not behind then
      s.write('HSET', sets)
    end
    -- Again, since an expiry that was already past has deleted everything
    if ends and (behind or alone) then
      redis.call('PEXPIREAT', key, number(expiry + retention))
    end
  end
  for i = 1, #s.messages, 2 do
    redis.pcall('PUBLISH', s.messages[i], s.messages[i + 1])
  end
end

-- Who is in the way of a claim that has to wait or give up: the holder whose lease ends first. Also how long it has held the
-- name, and how soon the first of the holders may expire.
function s.inTheWay()
  local bound, claim = string.match(s.root, '^(%d+)|(.*)$')
  local h = s.holders > 0 and s.holder(claim)
  if not h then
    return '', 0, 0
  end
  return h.owner, now - h.since, (s.holders == 1 and h.expiry or tonumber(bound)) - now
end
