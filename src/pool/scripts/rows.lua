-- In front of the scripts that write rows. KEYS[2] is `available`. A write is a letter and its fields in ARGV; a key is
-- named by its place in KEYS, 0 where there is none.

local refused, unindexed, strays = 0, 0, 0
local owned_limit

-- Whether the row is EXTRACTED under an id that the write neither ends nor goes on with.
local function is_of_another(row, ends, goes_on)
  return row[1] == 'extracted' and row[3] ~= ends and row[3] ~= goes_on
end

local function leave_index(row, id, new_owner, previous, previous_key)
  local owner = row[2]
  if not owner or owner == '' or owner == new_owner then return end
  if owner == previous then
    redis.call('SREM', KEYS[tonumber(previous_key)], id)
  else
    strays = strays + 1
  end
end

local function join_index(key, id)
  if redis.call('SADD', key, id) == 1 and redis.call('SCARD', key) > owned_limit then
    redis.call('SREM', key, id)
    unindexed = unindexed + 1
  end
end

local write = {}

-- id, state, owner, epoch, sequence, available until or '', extraction or '', its end, ends, owner's index, owner before,
-- that one's index
function write.A(key, a)
  local id, state, owner, available, extraction = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 5], ARGV[a + 6]
  local row = redis.call('HMGET', key, 'state', 'owner', 'extraction')
  if is_of_another(row, ARGV[a + 8], extraction) then
    refused = refused + 1
    return 12
  end
  leave_index(row, id, owner, ARGV[a + 10], ARGV[a + 11])
  redis.call('HSET', key, 'state', state, 'owner', owner, 'epoch', ARGV[a + 3], 'seq', ARGV[a + 4])
  if extraction ~= '' then
    redis.call('HSET', key, 'extraction', extraction, 'extracted_until', ARGV[a + 7])
  elseif row[3] then
    redis.call('HDEL', key, 'extraction', 'extracted_until')
  end
  if available ~= '' then
    redis.call('ZADD', KEYS[2], available, id)
  else
    redis.call('ZREM', KEYS[2], id)
  end
  if owner ~= '' then join_index(KEYS[tonumber(ARGV[a + 9])], id) end
  return 12
end

-- id, ends, owner before, that one's index
function write.a(key, a)
  local row = redis.call('HMGET', key, 'state', 'owner', 'extraction')
  if is_of_another(row, ARGV[a + 1], '') then
    refused = refused + 1
    return 4
  end
  leave_index(row, ARGV[a], '', ARGV[a + 2], ARGV[a + 3])
  redis.call('DEL', key)
  redis.call('ZREM', KEYS[2], ARGV[a])
  return 4
end

-- address, scheme, health, usable until, sequence
function write.P(key, a)
  redis.call('HSET', key, 'address', ARGV[a], 'scheme', ARGV[a + 1], 'health', ARGV[a + 2], 'usable_until', ARGV[a + 3],
    'seq', ARGV[a + 4])
  return 5
end

-- ttl in milliseconds, how many texts follow, names and values
function write.S(key, a)
  local count = tonumber(ARGV[a + 1])
  redis.call('DEL', key)
  redis.call('HSET', key, unpack(ARGV, a + 2, a + 1 + count))
  redis.call('PEXPIRE', key, ARGV[a])
  return 2 + count
end

-- A proxy or a session that is gone.
function write.d(key)
  redis.call('DEL', key)
  return 0
end

-- Each from ARGV[first] on: letter, key, fields.
local function write_rows(first)
  local a = first
  while a <= #ARGV do
    a = a + 2 + write[ARGV[a]](KEYS[tonumber(ARGV[a + 1])], a + 2)
  end
end
