-- Gives the memory back in the background, whatever is at the keys.

redis.call('UNLINK', unpack(KEYS))
return { 'dropped' }
