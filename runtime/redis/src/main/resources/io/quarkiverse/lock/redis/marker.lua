-- Comes first in every script that may grant, if quarkus.lock.redis.after-failover is grace. The marker says which life of this
-- server the data come from. If it names another life, or there is none, grants may have been lost, and a grace begins.
-- The script itself reads what it runs on, since a client may have connected in an earlier life. The process alone does not
-- tell: it may have been a replica in between, with data from its own time as the master.
--
-- Takes what it needs off the ends of KEYS and ARGV, so that the rest of the script finds its own there:
-- KEYS[#KEYS] the marker: a hash, which never expires
--   level, longest  what all JVMs of the key prefix have to agree on
--   inc             run id and replication id of the server that wrote it
--   till, length    when its grace ends, and how long that grace is in all
-- ARGV[#ARGV] the length of a grace in ms: the longest lease, the time for which a former master may go on granting, and a
-- margin; before it the longest lease of any JVM, in ms; before that the level
-- Replies an error LEVEL level longest, with the values of those who came first. Otherwise leaves incarnation, and graceLeft:
-- how many ms of a grace are left, 0 if there is none
local graceLeft, incarnation = 0, ''
do
  local length, longest, level = tonumber(table.remove(ARGV)), table.remove(ARGV), table.remove(ARGV)
  local marker = table.remove(KEYS)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function write(...)
    -- Not refused when the memory is full, and a script that has written may go on. A call that begins a grace grants nothing.
    redis.call('HDEL', marker, '-')
    redis.call('HSET', marker, ...)
  end
  local function id(section, field) -- 40 digits
    local info = redis.call('INFO', section)
    local _, at = string.find(info, field, 1, true)
    return string.sub(info, at + 1, at + 40)
  end
  incarnation = id('server', 'run_id:') .. ':' .. id('replication', 'master_replid:')
  local known = redis.call('HMGET', marker, 'level', 'longest', 'inc', 'till', 'length')
  if known[1] and (known[1] ~= level or known[2] ~= longest) then
    return redis.error_reply('LEVEL ' .. known[1] .. ' ' .. tostring(known[2]))
  end
  local till, lasts = tonumber(known[4] or 0), tonumber(known[5] or 0)
  if known[3] ~= incarnation then
    till, lasts = now + length, length
    write('level', level, 'longest', longest, 'inc', incarnation, 'till', string.format('%.0f', till), 'length',
        string.format('%.0f', lasts))
  elseif till > now + lasts then
    till = now + lasts -- the clock was set back
    write('till', string.format('%.0f', till))
  end
  if till > now and length > lasts then
    -- The JVM that began the grace did not know for how long a former master goes on
    till, lasts = till - lasts + length, length
    write('till', string.format('%.0f', till), 'length', string.format('%.0f', lasts))
  end
  graceLeft = math.max(0, till - now)
end
