/** Finds the turns around the documents that were found. */
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

-- Wants a number of places from one on, in a direction. A hole of a whole span ends a thread.
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

-- What the reply says of a document: its place, its step in the run of turns, its score, the words that it holds, and flags:
-- 1 passes the filter, 2 begins a run of turns, 4 is no turn.
local function told(place, step, document, flags)
  return place .. struct.pack('>I4dI4B', step, scores[document] or 0, held[document] or 0, flags)
end

-- Whether a place of a span is next to a turn, which is in that span or in the one before.
local function follows(before, current, place)
  if not before or before.span == current then return before end
  return place == 0 and before.span.thread == current.thread and before.span.number == current.number - 1
end

-- The wanted places in their order. Those that are next to one another are a run.
local function wanted_turns()
  table.sort(spans, function(a, b)
    if a.thread ~= b.thread then return a.thread < b.thread end
    return a.number < b.number
  end)
  local turns, before = {}, nil
  for _, current in ipairs(spans) do
    for place = 0, #current.places / PLACE - 1 do
      if current.wanted[place] then
        local from = place * PLACE
        local document, flags, speaker = struct.unpack('>I4BI4', current.places, from + 2)
        local turn = { document = document, asks = flags % 2 == 1, speaker = speaker, span = current }
        turn.place = string.sub(current.places, from + 1, from + PLACE)
        turns[#turns + 1] = turn
        if follows(before, current, place) then
          turn.run, turn.step, turn.before, before.after = before.run, before.step + 1, before, turn
        else
          turn.run, turn.step = #turns, 0
        end
        before = turn
      else
        before = nil
      end
    end
  end
  return turns
end

-- Of turns that hold no word, ranking needs those that may answer a question that does, and those that the assistant
-- replied to with a word. The others are only steps, unless all turns may be found by their meaning.
local function is_needed(turn, assistant)
  if scores[turn.document] then return true end
  local before, after = turn.before, turn.after
  if before and before.asks and scores[before.document] then return true end
  return after and after.speaker == assistant and scores[after.document]
end

local function told_windows(rules, all, assistant)
  local parts, run = {}, nil
  for _, turn in ipairs(wanted_turns()) do
    if all or is_needed(turn, assistant) then
      local flags = turn.run ~= run and 2 or 0
      if not rules or may_be_found(turn.document, rules) then flags = flags + 1 end
      parts[#parts + 1] = told(turn.place, turn.step, turn.document, flags)
      run = turn.run
    end
  end
  return parts
end
`;
