import { layout } from '../layout.ts';

/*
 * The turns of conversations: the hash `threads`. The field of a thread, NUL and a number holds a block: the turns of the
 * thread with indexes from 128 times the number on, in their order, each as a turn entry.
 */

/**
 * A turn: its index in its block, its document, the flags of its text (`RemoteTerms.flags`), the number of its speaker or 0,
 * and when it was said, in milliseconds since 1970.
 */
export const TURN_ENTRY = layout({ index: 'B', document: 'I4', textFlags: 'B', speaker: 'I4', time: 'd' });

/** The bit of `textFlags` that says that a turn asks. */
export const ASKS_FLAG = 1;

/** Lua: names the sizes of blocks, and the field of a block by its thread and number. Reads and writes nothing. */
export const THREADS_LUA = `
local ENTRY_SIZE, BLOCK_TURNS = ${TURN_ENTRY.size}, 128

local function block_field(thread, number)
  return thread .. '\\0' .. string.format('%.0f', number)
end

local function block_number(index)
  return math.floor(index / BLOCK_TURNS)
end

-- The document of the entry at a byte of a block, as the four bytes that postings have, too.
local function entry_key(block, at)
  return string.sub(block, at + ${TURN_ENTRY.offset.document}, at + ${TURN_ENTRY.offset.document + 3})
end
`;

/**
 * Lua: changes the turns of conversations. Needs `THREADS_LUA` and `HASH_BATCHES_LUA`.
 *
 * - `add_turn(thread, index, key, text_flags, speaker, time)` and `drop_turn(thread, index, key)` read `THREADS`, each field
 *   once. `key` is the document as four bytes.
 * - `apply_turns()` writes `THREADS`.
 */
export const THREAD_CHANGES_LUA = `
local blocks = {}
local function read_block(field)
  if not blocks[field] then blocks[field] = redis.call('HGET', THREADS, field) or '' end
  return blocks[field]
end

local function drop_turn(thread, index, key)
  local field = block_field(thread, block_number(index))
  local block = read_block(field)
  for at = 1, #block, ENTRY_SIZE do
    if entry_key(block, at) == key then
      blocks[field] = string.sub(block, 1, at - 1) .. string.sub(block, at + ENTRY_SIZE)
      return
    end
  end
end

local function add_turn(thread, index, key, text_flags, speaker, time)
  local field = block_field(thread, block_number(index))
  local block = read_block(field)
  -- After all entries of the same or a lower index. Searches from the end, because most turns come in order.
  local at, own = #block + 1, index % BLOCK_TURNS
  while at > 1 and string.byte(block, at - ENTRY_SIZE) > own do at = at - ENTRY_SIZE end
  local document = struct.unpack('>I4', key)
  local entry = struct.pack('${TURN_ENTRY.format}', own, document, text_flags, speaker, time)
  if at > #block then blocks[field] = block .. entry
  else blocks[field] = string.sub(block, 1, at - 1) .. entry .. string.sub(block, at) end
end

local function apply_turns()
  local write_block, flush_blocks = hash_writer(THREADS)
  for field, block in pairs(blocks) do write_block(field, block) end
  flush_blocks()
end
`;
