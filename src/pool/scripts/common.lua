-- In front of every script. KEYS[1] is meta; ARGV[1] and ARGV[2] are the caller's controller epoch and log_id.
-- Sequences and epochs are decimal strings and are never turned into numbers: a double is exact only up to 2^53.

local function less(a, b)
  if #a ~= #b then return #a < #b end
  return a < b
end

local my_epoch, my_log = ARGV[1], ARGV[2]
local log_id, epoch, applied, resync, parts_upto, parts_done = unpack(redis.call('HMGET', KEYS[1], 'log_id',
  'controller_epoch', 'applied_seq', 'resync', 'parts_upto', 'parts_done'))

-- Every reply: the verdict, where the store stands, then what the script has to say.
local function answer(verdict, ...)
  return {verdict, log_id or '', epoch or '', applied or '', resync or '', ...}
end

-- Why this writer may not write, or nil.
local function refusal()
  if not log_id then return 'empty' end
  if log_id ~= my_log then return 'other_log' end
  if less(my_epoch, epoch) then return 'stale_epoch' end
  if resync then return 'resyncing' end
end

-- Why it is not the turn of what follows `follows`, or nil.
local function out_of_turn(follows)
  if applied == follows then return nil end
  return less(applied, follows) and 'behind' or 'ahead'
end

-- The last write of a script.
local function advance(sequence)
  epoch, applied = my_epoch, sequence
  redis.call('HSET', KEYS[1], 'controller_epoch', epoch, 'applied_seq', applied)
  if parts_upto then redis.call('HDEL', KEYS[1], 'parts_upto', 'parts_done') end
end
