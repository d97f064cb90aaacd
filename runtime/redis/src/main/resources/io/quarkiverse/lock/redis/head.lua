-- Precedes every script about names except renew.lua.
--
-- ARGV[1] how long the hash outlives what is in it, in ms. The last fence is a time too: a clock that was set back must pass it
-- before it is forgotten.
-- ARGV[2] '1' in a cluster
local key, retention, cluster = KEYS[1], tonumber(ARGV[1]), ARGV[2] == '1'

-- A grant that was pushed to a waiter lives this long until the waiter confirms it, or for its lease if that is shorter.
local CLAIM_LEASE = 3000
-- A waiter that has not asked for this long is dead. It asks every second.
local SEEN = 5000
-- Holders are told of waiters at most once in this time, since each waiter pokes every second.
local ROUND = 800

local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now = math.floor(us / 1000)
