-- One step of a list. Reads only, and knows nothing of what the keys hold.
--
-- A cursor means something to the process alone that gave it: each has its own order of keys. Only a script can be sure that
-- it is asked of that process, since what is sent in vain is sent again, to whoever is the master then.
--
-- ARGV[1] the cursor; ARGV[2] the run that gave it; ARGV[3] the pattern of the keys; ARGV[4] COUNT
-- Replies the run of this server, the next cursor, the keys
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
local step = redis.call('SCAN', run == ARGV[2] and ARGV[1] or '0', 'MATCH', ARGV[3], 'COUNT', ARGV[4])
return { run, step[1], step[2] }
