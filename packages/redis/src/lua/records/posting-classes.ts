import { LENGTH_STEPS } from '@keepsake/search/remote';

/*
 * A term that thousands of documents have is split by what its postings are worth, so that a search can begin with those that
 * are worth most, and mostly leave out the others. A class has the postings of one frequency step and of similar lengths, so
 * all postings of a document for one frequency are in classes of the same length.
 *
 * The field of the term then has four bytes of 255, and for each class that has postings its number (1 byte) and how many it
 * has (4). The postings of a class are those of a term of its own: the term, the byte 1 and two hexadecimal digits.
 */

/** How many fields the postings of a term fill before they are split. */
export const SPLIT_FIELDS = 16;

/** How much longer the documents of the next class are. Shorter than this, all are in one class. */
const LENGTH_RATIO = 1.25;
const SHORTEST = 4;

/** The class of each weight. The number of a class is stored, so changing this changes the data format. */
const CLASSES = Array.from({ length: 256 }, (_, weight) => {
  const [frequency, length] = [Math.floor(weight / LENGTH_STEPS.length), LENGTH_STEPS[weight % LENGTH_STEPS.length]];
  const similar = Math.floor(Math.log(Math.max(length as number, SHORTEST) / SHORTEST) / Math.log(LENGTH_RATIO));
  return LENGTH_STEPS.length * frequency + similar;
});

/**
 * Lua: the classes of the postings of a term that is split. Reads and writes nothing.
 *
 * - `CLASS_OF[weight]` is the class of a posting. Postings of the same document have the same `LENGTH_CLASS_OF[weight]`, and
 *   that of a class is `class % LENGTH_CLASSES`.
 * - `is_split(value)` tells whether the value of the field of a term says that it is split.
 * - `read_counts(value)` returns the classes of a split term, and by class how many postings it has. `write_counts(counts)`
 *   returns such a value, '' if there are no postings.
 * - `class_term(term, class)` returns the term that has the postings of a class.
 */
export const POSTING_CLASSES_LUA = `
local LENGTH_CLASSES = ${LENGTH_STEPS.length}
local CLASS_OF, LENGTH_CLASS_OF = { ${CLASSES.join(', ')} }, {}
for weight = 0, 255 do CLASS_OF[weight] = CLASS_OF[weight + 1] end
for weight = 0, 255 do LENGTH_CLASS_OF[weight] = CLASS_OF[weight] % LENGTH_CLASSES end

local SPLIT = '\\255\\255\\255\\255'
local function is_split(value)
  return value and string.sub(value, 1, 4) == SPLIT
end

local function read_counts(value)
  local classes, counts = {}, {}
  for at = 5, #value, 5 do
    local class, count = struct.unpack('>BI4', value, at)
    classes[#classes + 1], counts[class] = class, count
  end
  return classes, counts
end

local function write_counts(counts)
  local classes, parts = {}, {}
  for class, count in pairs(counts) do
    if count > 0 then classes[#classes + 1] = class end
  end
  table.sort(classes)
  for n, class in ipairs(classes) do parts[n] = struct.pack('>BI4', class, counts[class]) end
  return #parts > 0 and SPLIT .. table.concat(parts) or ''
end

local function class_term(term, class)
  return term .. '\\1' .. string.format('%02x', class)
end
`;
