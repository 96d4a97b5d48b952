import { REPLY } from './replies.ts';

/**
 * Lua: `changed_reply(inputs, stored)` returns the reply `changed`, with the document and the record that each input would
 * replace. `stored` has the header of a record by its id, with its `document` and its `inline`. Needs `STORED_RECORDS_LUA`.
 */
export const CHANGED_LUA = `
local function changed_reply(inputs, stored)
  local reply = { '${REPLY.changed}' }
  for n, input in ipairs(inputs) do
    local known = stored[input.id]
    reply[2 * n] = known and known.document or 0
    reply[2 * n + 1] = known and full_record(known.document, known.inline) or false
  end
  return reply
end
`;
