-- One step of a list. Reads only, and knows nothing about the contents of the keys.
--
-- A cursor means something only to the process that gave it, as each process has its own order of keys. Only a script can be
-- sure which process it asks: a call that fails is repeated, and then reaches whatever server is the master.
--
-- ARGV[1] the cursor; ARGV[2] the run that gave it; ARGV[3] the pattern of the keys; ARGV[4] COUNT
-- Replies the run of this server, the next cursor, the keys
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
local step = redis.call('SCAN', run == ARGV[2] and ARGV[1] or '0', 'MATCH', ARGV[3], 'COUNT', ARGV[4])
return { run, step[1], step[2] }
