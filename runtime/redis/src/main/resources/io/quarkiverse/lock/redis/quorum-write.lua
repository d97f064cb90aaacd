-- Phase 2: writes the fence of an attempt that has the name here.
--
-- ARGV[2] claim  [3] attempt  [4] fence
-- Replies 1, or 0 if it has not
if not live or holder ~= ARGV[2] or state[4] ~= ARGV[3] then
  return 0
end
redis.call('HSET', key, 'f', whole(math.max(fence, tonumber(ARGV[4]))), 'g', ARGV[4])
return 1
