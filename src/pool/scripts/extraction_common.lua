-- In front of the scripts that answer an extraction. The record under the key `record` has the fields sequence, cancelled
-- ("0", "1") and count, and for each moved address `<n>` and `<n>.proxies`.

local function tell(cancelled, moved)
  return answer('done', cancelled, unpack(moved))
end

-- The answer that was recorded, or nil.
local function recorded_answer(record)
  local count = redis.call('HGET', record, 'count')
  if not count then return nil end
  local moved = {}
  for i = 1, tonumber(count) do
    moved[#moved + 1] = redis.call('HGET', record, tostring(i))
    moved[#moved + 1] = redis.call('HGET', record, i .. '.proxies')
  end
  return tell(redis.call('HGET', record, 'cancelled'), moved)
end
