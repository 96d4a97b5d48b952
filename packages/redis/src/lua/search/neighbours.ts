import { layout } from '../layout.ts';
import { luaModule } from '../lua-module.ts';
import { ASKS_FLAG, TURN_ENTRY } from '../records/threads.ts';

/** Bits of `FOUND_DOCUMENT.status`. */
export const FOUND_STATUS = {
  /** It passes the filter. Others only lend score. */
  passes: 1,
  /** It begins a run of turns that are next to one another. */
  beginsRun: 2,
  /** It is no turn: its turn entry has only a document, the flags of its text and a time. */
  noTurn: 4,
} as const;

/**
 * A document that a search found: its turn entry, then this. `step` is its place in its run of turns, `matched` has a bit for
 * each word of the query that it holds. `version` is that of its record, or 0 for a turn that is only near one of the best.
 */
export const FOUND_DOCUMENT = layout({ step: 'I4', score: 'd', matched: 'I4', status: 'B', version: 'I4' });

/**
 * Lua: finds the turns around the documents that were found. Needs `THREADS_LUA`, `POSTINGS_LUA`, and of the search `scores`,
 * `words_of`, `score_exactly` and `may_be_found`. `versions` has the versions of the best documents.
 *
 * - `want_around(document, thread, index, around)` selects a turn and its neighbours, up to a number on each side. Reads
 *   `THREADS`, each field once.
 * - `pack_document(entry, step, document, status)` returns a turn entry with its `FOUND_DOCUMENT`.
 * - `pack_neighbours(rules, all, assistant)` returns a list of these for the turns that were selected.
 */
export const NEIGHBOURS_LUA = luaModule(
  ['versions', 'want_around', 'pack_document', 'pack_neighbours'],
  `
local blocks, versions = {}, {}

-- The entries of a block without those of staged documents.
local function visible_entries(entries)
  if not staged_key then return entries end
  local parts = {}
  for at = 1, #entries, ENTRY_SIZE do
    if entry_key(entries, at) < staged_key then parts[#parts + 1] = string.sub(entries, at, at + ENTRY_SIZE - 1) end
  end
  return table.concat(parts)
end

local function block_of(thread, number)
  local field = block_field(thread, number)
  if blocks[field] == nil then
    blocks[field] = { entries = visible_entries(redis.call('HGET', THREADS, field) or ''), wanted = {}, thread = thread, number = number }
    blocks[#blocks + 1] = blocks[field]
  end
  return blocks[field]
end

local function entries_in(block)
  return #block.entries / ENTRY_SIZE
end

-- Selects entries from the \`n\`th on, in one direction. A whole block that is missing ends a thread.
local function want(thread, number, n, step, count)
  local block = block_of(thread, number)
  for _ = 0, count do
    while n < 0 or n >= entries_in(block) do
      number = number + step
      block = number >= 0 and block_of(thread, number)
      if not block or block.entries == '' then return end
      n = step > 0 and 0 or entries_in(block) - 1
    end
    block.wanted[n] = true
    n = n + step
  end
end

local function want_around(document, thread, index, around)
  local number = block_number(index)
  local block, key = block_of(thread, number), struct.pack('>I4', document)
  for n = 0, entries_in(block) - 1 do
    if entry_key(block.entries, n * ENTRY_SIZE + 1) == key then
      want(thread, number, n, -1, around)
      want(thread, number, n, 1, around)
      return
    end
  end
end

local function pack_document(entry, step, document, status)
  local score, words, version = scores[document] or 0, words_of(document), versions[document] or 0
  return entry .. struct.pack('${FOUND_DOCUMENT.format}', step, score, words, status, version)
end

-- Whether an entry of a block is next to a turn, which is in that block or in the one before.
local function is_next_to(before, block, n)
  if not before or before.block == block then return before end
  return n == 0 and before.block.thread == block.thread and before.block.number == block.number - 1
end

-- The selected turns in their order. Those that are next to one another are a run.
local function wanted_turns()
  table.sort(blocks, function(a, b)
    if a.thread ~= b.thread then return a.thread < b.thread end
    return a.number < b.number
  end)
  local turns, before = {}, nil
  for _, block in ipairs(blocks) do
    for n = 0, entries_in(block) - 1 do
      if block.wanted[n] then
        local entry = string.sub(block.entries, n * ENTRY_SIZE + 1, (n + 1) * ENTRY_SIZE)
        local _, document, text_flags, speaker = struct.unpack('${TURN_ENTRY.format}', entry)
        local asks = text_flags % ${2 * ASKS_FLAG} >= ${ASKS_FLAG}
        local turn = { document = document, asks = asks, speaker = speaker, entry = entry, block = block }
        turns[#turns + 1] = turn
        if is_next_to(before, block, n) then
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

-- Of turns without a word of the query, ranking needs those that may answer a question that has one, and those that the
-- assistant replied to with one. The others only count as steps, unless all turns may be found by their meaning.
local function is_needed(turn, assistant)
  if scores[turn.document] then return true end
  local before, after = turn.before, turn.after
  if before and before.asks and scores[before.document] then return true end
  return after and after.speaker == assistant and scores[after.document]
end

local function pack_neighbours(rules, all, assistant)
  local packed, run, turns, documents = {}, nil, wanted_turns(), {}
  for n, turn in ipairs(turns) do documents[n] = turn.document end
  score_exactly(documents)
  for _, turn in ipairs(turns) do
    if all or is_needed(turn, assistant) then
      local status = turn.run ~= run and ${FOUND_STATUS.beginsRun} or 0
      if not rules or may_be_found(turn.document, rules) then status = status + ${FOUND_STATUS.passes} end
      packed[#packed + 1] = pack_document(turn.entry, turn.step, turn.document, status)
      run = turn.run
    end
  end
  return packed
end
`,
);
