/** Which turns stand around the documents that were found. */
export const WINDOWS_LUA = `
local spans = {}
local function span(thread, number)
  local field = thread .. '\\0' .. string.format('%.0f', number)
  if spans[field] == nil then
    spans[field] = { places = redis.call('HGET', THREADS, field) or '', wanted = {}, thread = thread, number = number }
    spans[#spans + 1] = spans[field]
  end
  return spans[field]
end

-- Wants so many places from one on, in a direction; a thread with a hole of a whole span ends there.
local function want(thread, number, place, step, count)
  local current = span(thread, number)
  for _ = 0, count do
    while place < 0 or place * PLACE >= #current.places do
      number = number + step
      current = number >= 0 and span(thread, number)
      if not current or current.places == '' then return end
      place = step > 0 and 0 or #current.places / PLACE - 1
    end
    current.wanted[place] = true
    place = place + step
  end
end

local function want_around(document, thread, index, around)
  local number = math.floor(index / SPAN)
  local current, key = span(thread, number), struct.pack('>I4', document)
  for place = 0, #current.places / PLACE - 1 do
    if string.sub(current.places, place * PLACE + 2, place * PLACE + 5) == key then
      want(thread, number, place, -1, around)
      want(thread, number, place, 1, around)
      return
    end
  end
end

-- What the caller is told of a document: its place, which place of its run that is, its score, the words that
-- it holds, and flags: 1 may be found, 2 begins a new run of turns, 4 is no turn.
local function told(place, step, document, flags)
  return place .. struct.pack('>I4dI4B', step, scores[document] or 0, held[document] or 0, flags)
end

-- Of the turns around, those that were found, or may answer one that was. The others are steps that are left out.
local function told_windows(rules)
  local parts = {}
  table.sort(spans, function(a, b)
    if a.thread ~= b.thread then return a.thread < b.thread end
    return a.number < b.number
  end)
  local thread, number, last, step, begins, answers
  for _, current in ipairs(spans) do
    for place = 0, #current.places / PLACE - 1 do
      if current.wanted[place] then
        local from = place * PLACE
        local document, what = struct.unpack('>I4B', current.places, from + 2)
        local follows = thread == current.thread
          and ((number == current.number and last == place - 1) or (number == current.number - 1 and place == 0))
        if follows then step = step + 1 else step, begins, answers = 0, true, false end
        if scores[document] or answers then
          local flags = begins and 2 or 0
          if not rules or may_be_found(document, rules) then flags = flags + 1 end
          parts[#parts + 1] = told(string.sub(current.places, from + 1, from + PLACE), step, document, flags)
          begins = false
        end
        answers = scores[document] and what % 2 == 1
        thread, number, last = current.thread, current.number, place
      else
        thread = nil
      end
    end
  end
  return parts
end
`;
