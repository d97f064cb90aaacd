-- The holders of a name, and the heap of them. If an entry of the heap is missing, everything derived is rebuilt from the
-- records, which are up to date already.

local function boundOf(it)
  return tonumber(string.match(it, '^%d+'))
end

local function claimOf(it)
  return string.match(it, '|(.*)$')
end

function s.item(i)
  if i == 1 then
    return s.root ~= '|' and s.root
  end
  return s.get('p:' .. i)
end

function s.place(i, it)
  if i == 1 then
    s.root = it
    s.put('i:' .. claimOf(it), false)
  else
    s.put('p:' .. i, it)
    s.put('i:' .. claimOf(it), tostring(i))
  end
end

function s.siftUp(i, moved)
  while i > 1 do
    local up = math.floor((i - 2) / 4) + 1
    local above = s.item(up)
    if not above then
      return s.rebuild()
    end
    if boundOf(above) <= boundOf(moved) then
      break
    end
    s.place(i, above)
    i = up
  end
  s.place(i, moved)
end

function s.siftDown(i, moved)
  local bound = boundOf(moved)
  while true do
    local from, to = 4 * i - 2, math.min(4 * i + 1, s.holders)
    if from > to then
      break
    end
    local below = {}
    for j = from, to do
      below[#below + 1] = 'p:' .. j
    end
    s.fetch(below)
    local least, at, it = bound, nil, nil
    for j = from, to do
      local each = s.item(j)
      if not each then
        return s.rebuild()
      end
      if boundOf(each) < least then
        least, at, it = boundOf(each), j, each
      end
    end
    if not at then
      break
    end
    s.place(i, it)
    i = at
  end
  s.place(i, moved)
end

function s.sift(i, moved)
  local above = i > 1 and s.item(math.floor((i - 2) / 4) + 1)
  if above and boundOf(above) > boundOf(moved) then
    s.siftUp(i, moved)
  else
    s.siftDown(i, moved)
  end
end

-- Where a holder is in the heap; nil if everything was rebuilt.
function s.find(claim)
  local i = s.holders > 1 and tonumber(s.get('i:' .. claim) or 1) or 1
  local it = i <= s.holders and s.item(i)
  if not it or claimOf(it) ~= claim then
    return s.rebuild()
  end
  return i
end

-- --- holders

function s.count(limit, by)
  if s.mode ~= 'L' then
    return
  end
  local all = {}
  for each, many in string.gmatch(s.limits, '(%d+):(%d+)') do
    many = tonumber(many)
    if tonumber(each) == limit then
      many, by = many + by, 0
    end
    if many > 0 then
      all[#all + 1] = each .. ':' .. many
    end
  end
  if by > 0 then
    all[#all + 1] = number(limit) .. ':' .. by
  end
  s.limits = table.concat(all, ',')
end

-- The clock is the floor of the fence, so fences keep rising after all data is lost, without a permanent record per name.
function s.grant(claim, as, limit, channel, owner, lease)
  s.fence = math.max(s.fence + 1, us)
  local h = { expiry = now + lease, mode = as, limit = limit, channel = channel, fence = number(s.fence), since = now,
      owner = owner, kept = false, asked = '' }
  s.put('f', h.fence)
  s.writeHold(claim, h)
  s.mode = as
  s.count(limit, 1)
  s.holders = s.holders + 1
  if s.holders == 1 then
    s.root = number(h.expiry) .. '|' .. claim
  else
    s.siftUp(s.holders, number(h.expiry) .. '|' .. claim)
  end
  return h
end

function s.ungrant(claim, h)
  s.put((h.kept and 'k:' or 'h:') .. claim, false)
  s.put('m:' .. claim, false)
  local i = s.find(claim)
  if not i then
    return
  end
  s.count(h.limit, -1)
  local moved = s.item(s.holders)
  if not moved then
    return s.rebuild()
  end
  if s.holders == 1 then
    s.holders, s.root, s.mode, s.limits = 0, '|', '', ''
    return
  end
  s.put('p:' .. s.holders, false)
  if i > 1 then
    s.put('i:' .. claim, false)
  end
  s.holders = s.holders - 1
  if i <= s.holders then
    s.sift(i, moved)
  end
end

-- A renewal that extends a hold leaves the heap as it is, so the true expiry may be later than the bound, but never earlier.
function s.dropExpired()
  while s.holders > 0 do
    local bound, claim = string.match(s.root, '^(%d+)|(.*)$')
    if s.holders > 1 and bound and tonumber(bound) > now + NEAR then
      return
    end
    if claim and s.known['h:' .. claim] == nil then
      s.fetch({ 'h:' .. claim, 'k:' .. claim })
    end
    local h = claim and s.holder(claim)
    if not h then
      s.rebuild()
    elseif h.expiry <= now then
      s.ungrant(claim, h)
    elseif s.holders == 1 then
      s.root = number(h.expiry) .. '|' .. claim -- nobody has kept its bound
      return
    elseif h.expiry <= tonumber(bound) or tonumber(bound) > now + NEAR then
      return
    else
      s.siftDown(1, number(h.expiry) .. '|' .. claim)
    end
  end
end

-- Like holder(), but drops one that has expired, whatever the heap says.
function s.live(claim)
  local h = s.holder(claim)
  if h and h.expiry <= now then
    s.ungrant(claim, h)
    return nil
  end
  return h
end

-- Calls the function with the claim and the record of each live holder in that range of the heap.
function s.eachHolder(from, to, call)
  local items, records = {}, {}
  for i = math.max(from, 2), to do
    items[#items + 1] = 'p:' .. i
  end
  s.fetch(items)
  local claims = {}
  for i = from, to do
    local it = s.item(i)
    if it then
      local claim = claimOf(it)
      claims[#claims + 1] = claim
      records[#records + 1] = 'h:' .. claim
      records[#records + 1] = 'k:' .. claim
    end
  end
  s.fetch(records)
  for _, claim in ipairs(claims) do
    local h = s.holder(claim)
    if h and h.expiry > now then
      call(claim, h)
    end
  end
end

-- Whether a claim may join the present holders. Different modes exclude each other. The smallest limit counts, whether the
-- claim's own or a holder's: while nodes disagree, as during a rolling deployment, nobody gets more company than it allows.
function s.fits(as, limit)
  if s.holders == 0 then
    return true
  end
  if as == 'X' or as ~= s.mode then
    return false
  end
  for each in string.gmatch(s.limits, '(%d+):') do
    limit = math.min(limit, tonumber(each))
  end
  return as == 'S' or s.holders < limit
end
