-- Moves what is still available and unowned to EXTRACTED. KEYS: meta, available, the record, then each candidate's row.
-- ARGV from 3: id, sequence, follows, need, whether fewer is none ("1"), end of the extraction; then for each candidate:
-- address, proxies.

local id, sequence, need = ARGV[3], ARGV[4], tonumber(ARGV[6])

local no = refusal()
if no then return answer(no) end
local recorded = recorded_answer(KEYS[3])
if recorded then return recorded end
no = out_of_turn(ARGV[5])
if no then return answer(no) end

local chosen = {}
for i = 4, #KEYS do
  if #chosen == need then break end
  if redis.call('HGET', KEYS[i], 'state') == 'unowned' and redis.call('ZSCORE', KEYS[2], ARGV[2 * i + 1]) then
    chosen[#chosen + 1] = i
  end
end
if ARGV[7] == '1' and #chosen < need then chosen = {} end

local record = {'sequence', sequence, 'cancelled', '0', 'count', #chosen}
local moved = {}
for n, i in ipairs(chosen) do
  local address, proxies = ARGV[2 * i + 1], ARGV[2 * i + 2]
  for _, text in ipairs({n, address, n .. '.proxies', proxies}) do record[#record + 1] = text end
  moved[#moved + 1] = address
  moved[#moved + 1] = proxies
end
redis.call('HSET', KEYS[3], unpack(record))
for n, i in ipairs(chosen) do
  redis.call('HSET', KEYS[i], 'state', 'extracted', 'extraction', id, 'extracted_until', ARGV[8], 'seq', sequence)
  redis.call('ZREM', KEYS[2], moved[2 * n - 1])
end
advance(sequence)
return tell('0', moved)
