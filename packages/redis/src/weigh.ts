import { BM25 } from '@keepsake/search';

/*
 * How often a document holds a term, and how many terms it has, in one byte: both are exact for texts as short as most
 * memories are, and otherwise as near as a ranking can feel.
 */

/** How often, by the upper two bits: from one of these to the next, the share of a term hardly grows any more. */
const FREQUENCIES = [1, 2, 3.5, 8];
/** Lengths up to this are exact; beyond, each step is a fifth longer. */
const EXACT = 32;
const STEP = 1.2;
const LENGTHS = Array.from({ length: 64 }, (_, step) => (step < EXACT ? step + 1 : EXACT * STEP ** (step - EXACT + 1)));

/** The byte for a term in a document. */
export function weigh(frequency: number, length: number): number {
  return nearest(FREQUENCIES, frequency) * 64 + nearest(LENGTHS, length);
}

function nearest(steps: readonly number[], value: number): number {
  const above = steps.findIndex((step) => step >= value);
  if (above === -1) return steps.length - 1;
  const below = Math.max(0, above - 1);
  return (steps[above] as number) - value <= value - (steps[below] as number) ? above : below;
}

/** Lua: `shares(average)` gives a table of what a term gives to a document, as a share of its idf, by the byte. */
export const SHARES_LUA = `
local FREQUENCIES = {${FREQUENCIES.join(', ')}}
local function shares(average)
  -- Texts of nothing but stop words have no length.
  if average == 0 then average = 1 end
  local all = {}
  for byte = 0, 255 do
    local frequency = FREQUENCIES[math.floor(byte / 64) + 1]
    local step = byte % 64
    local length = step < ${EXACT} and step + 1 or ${EXACT} * ${STEP} ^ (step - ${EXACT - 1})
    all[byte] = frequency / (frequency + ${BM25.k1} * (${1 - BM25.b} + ${BM25.b} * length / average))
  end
  return all
end
`;
