import { FREQUENCY_STEPS, LENGTH_STEPS, WEIGHTS } from '@keepsake/search/remote';

const { k1, b, variety } = WEIGHTS;

/**
 * Lua: BM25 by the weights of postings. Reads and writes nothing.
 *
 * - `length_norm(documents, total, squares)` returns what `lengthNorm` of `@keepsake/search` does, from the statistics.
 * - `term_shares(norm)` returns the share of its idf that a term gives to a document, by the weight of its posting
 *   (`quantizedFrequency`).
 */
export const TERM_SHARES_LUA = `
local FREQUENCIES, LENGTHS = { ${FREQUENCY_STEPS.join(', ')} }, { ${LENGTH_STEPS.join(', ')} }

local function length_norm(documents, total, squares)
  local average = total / documents
  local deviation = math.sqrt(math.max(0, squares / documents - average * average))
  local varied = (deviation / (average + ${variety.prior}) - ${variety.from}) / (${variety.to} - ${variety.from})
  local variety = math.min(1, math.max(0, varied))
  return {
    average = average,
    variety = variety,
    k1 = ${k1.talk} + (${k1.essays} - ${k1.talk}) * variety,
    b = ${b.talk} + (${b.essays} - ${b.talk}) * variety,
  }
end

local function term_shares(norm)
  local shares = {}
  for step, frequency in ipairs(FREQUENCIES) do
    for place, length in ipairs(LENGTHS) do
      shares[(step - 1) * #LENGTHS + place - 1] =
        frequency / (frequency + norm.k1 * (1 - norm.b + norm.b * length / norm.average))
    end
  end
  return shares
end
`;
