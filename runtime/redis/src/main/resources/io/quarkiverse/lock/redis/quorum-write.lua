-- Phase 2: writes the fence of an attempt that has the name here.
--
-- ARGV[2] claim  [3] attempt  [4] fence
-- Replies 1, or 2 if others wait, or 0 if the attempt does not have the name
if not live or holder ~= ARGV[2] or state[4] ~= ARGV[3] then
  return 0
end
if state[5] ~= ARGV[4] then
  -- A request to finish that was noted with the attempt was not meant for this holder
  fence = math.max(fence, tonumber(ARGV[4]))
  redis.call('HSET', key, 'f', whole(fence), 'g', ARGV[4], 'r', '')
  if fence / 1000 > expiry then
    keepUntil(expiry)
  end
end
return redis.call('ZCARD', waiting) > 0 and 2 or 1
