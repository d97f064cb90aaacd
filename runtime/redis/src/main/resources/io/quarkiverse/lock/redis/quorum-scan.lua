-- One step of a list; see scan.lua. Reads only.
--
-- ARGV[1] the cursor; ARGV[2] the run that gave it; ARGV[3] the pattern of the keys; ARGV[4] COUNT
-- Replies the run of this server, the next cursor, the keys, the time in ms
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local step = redis.call('SCAN', run == ARGV[2] and ARGV[1] or '0', 'MATCH', ARGV[3], 'COUNT', ARGV[4])
return { run, step[1], step[2], whole(now) }
