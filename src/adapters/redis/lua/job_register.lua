-- KEYS: the names of all queues (set). ARGV: a name; how many there may be.
-- Returns: whether it is one of them from now on.
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 1 end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
return redis.call('SADD', KEYS[1], ARGV[1])
