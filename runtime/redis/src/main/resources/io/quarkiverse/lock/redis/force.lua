-- Takes the name from whoever holds it, and raises the fence, so that what the former holders still write can be told
-- apart. They are told; one that does not hear it finds out when it renews.
--
-- Replies FORCED holders | FORMAT v
local format = load(nil)
if format then
  return { 'FORMAT', format }
end
local taken = holders
if taken > 0 then
  sweep()
  local former = hold
  hold, holders = {}, 0
  for claim in pairs(former) do
    redis.call('HDEL', key, 'h:' .. claim, 'k:' .. claim)
  end
  f = math.max(f + 1, us)
  redis.call('HSET', key, 'f', number(f)) -- behind a deletion, so that it goes through when the memory is full
  for claim, h in pairs(former) do
    if h.channel ~= '' and not h.kept then
      redis.pcall('PUBLISH', h.channel, 'L|' .. claim .. '|' .. h.fence)
    end
  end
  dispatch(nil)
  finish()
end
return { 'FORCED', taken }
