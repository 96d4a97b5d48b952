import { writing } from '../../client/script.ts';
import { DOCUMENT_INDEX_LUA } from './document-index.ts';
import { STAT } from './index-stats.ts';
import { REPLY } from './replies.ts';
import { STAGED_BATCH_LUA } from './staged-batch.ts';

/** How many values one script indexes, counting those that are missing: takes a server about 10 ms. */
const MOST_VALUES = 1_000;

/**
 * Indexes the values of fields for the records that are there, a step at a time. First goes on with the fields that others
 * have begun with.
 *
 * ARGV: the fields as JSON, each as its part and its name.
 *
 * -> a {@link REPLY}: `done` with 1 if all of the fields are complete, else 0; `busy` or `abandoned`
 */
export const INDEX_FIELDS = writing(`${DOCUMENT_INDEX_LUA}${STAGED_BATCH_LUA}
local function missing_fields(wanted)
  local known, missing = {}, {}
  for _, field in ipairs(complete_fields) do known[field[1] .. '.' .. field[2]] = true end
  for _, field in ipairs(wanted) do
    if not known[field[1] .. '.' .. field[2]] then missing[#missing + 1] = field end
    known[field[1] .. '.' .. field[2]] = true
  end
  return missing
end

-- Returns the first document that is not done.
local function index_step(from, fields)
  local last, values = stat('${STAT.nextDocument}') - 1, 0
  for number = from, last do
    if values >= ${MOST_VALUES} or not may_read_more() then return number end
    local inline = inline_of(number)
    values = values + (inline and #fields or 0.1)
    if inline then
      each_field_value(fields, number, inline, read_header(inline), add_posting)
    end
  end
  return last + 1
end

local wanted = cjson.decode(ARGV[1])
if stat('${STAT.records}') == 0 then return { '${REPLY.done}', 1 } end
local refused = refused_by_staged()
if refused then return refused end
if #building_fields == 0 then
  building_fields = missing_fields(wanted)
  if #building_fields == 0 then return { '${REPLY.done}', 1 } end
  set_stat('${STAT.built}', stat('${STAT.firstDocument}'))
end
local failure = key_error(false)
if failure then return failure end

-- All that is added comes after what is there.
first_new = stat('${STAT.built}')
local built = index_step(first_new, building_fields)
if built < stat('${STAT.nextDocument}') then
  set_stat('${STAT.building}', cjson.encode(building_fields))
  set_stat('${STAT.built}', built)
else
  for _, field in ipairs(building_fields) do complete_fields[#complete_fields + 1] = field end
  set_stat('${STAT.fields}', cjson.encode(complete_fields))
  set_stat('${STAT.building}', '')
  set_stat('${STAT.built}', '')
end
apply_postings()
write_stats()
return { '${REPLY.done}', #missing_fields(wanted) == 0 and 1 or 0 }
`);
