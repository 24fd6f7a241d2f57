-- One batch, or a part of one. KEYS[3] is `settling`: extraction id to the entry that settled it.
-- ARGV from 3: follows, upto, part, whether it is the last ("1"), limit of an index, how many extractions it settles, how
-- many records may be due; then for each settled: id, entry, key of its record; for each due: id, key; then the rows.

local follows, upto, part, is_last = ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6] == '1'
owned_limit = tonumber(ARGV[7])

local no = refusal()
if no then return answer(no) end
if not less(applied, upto) then return answer('repeat') end
no = out_of_turn(follows)
if no then return answer(no) end
if part > 0 and (parts_upto ~= upto or tonumber(parts_done) < part) then return answer('missing_part') end

-- The record goes with the first batch that leaves its entry behind.
local function forget(id, record)
  local entry = redis.call('HGET', KEYS[3], id)
  if entry and less(entry, upto) then
    redis.call('DEL', record)
    redis.call('HDEL', KEYS[3], id)
  end
end

-- First of all a write that a full Redis refuses: it would let a removal pass, and a batch be done by half.
epoch = my_epoch
redis.call('HSET', KEYS[1], 'controller_epoch', epoch)

local a = 10
for _ = 1, tonumber(ARGV[8]) do
  redis.call('HSET', KEYS[3], ARGV[a], ARGV[a + 1])
  forget(ARGV[a], KEYS[tonumber(ARGV[a + 2])])
  a = a + 3
end
for _ = 1, tonumber(ARGV[9]) do
  if is_last then forget(ARGV[a], KEYS[tonumber(ARGV[a + 1])]) end
  a = a + 2
end

write_rows(a)
if is_last then
  advance(upto)
else
  redis.call('HSET', KEYS[1], 'parts_upto', upto, 'parts_done', part + 1)
end
return answer('done', refused, unindexed, strays)
