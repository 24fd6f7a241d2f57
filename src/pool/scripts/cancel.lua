-- Gives an intent up, unless it is answered. KEYS: meta, the record. ARGV from 3: id, sequence, follows.

local no = refusal()
if no then return answer(no) end
local recorded = recorded_answer(KEYS[2])
if recorded then return recorded end

-- Has the intent's turn passed without an answer, then a resync took it, and no late call can have another turn.
local has_passed = not less(applied, ARGV[4])
if not has_passed then
  no = out_of_turn(ARGV[5])
  if no then return answer(no) end
end
redis.call('HSET', KEYS[2], 'sequence', ARGV[4], 'cancelled', '1', 'count', '0')
if not has_passed then advance(ARGV[4]) end
return tell('1', {})
