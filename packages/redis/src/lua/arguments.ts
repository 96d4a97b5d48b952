/**
 * Lua: reads the arguments of a script one after the other.
 *
 * - `take()` returns the next argument, and `take_number()` the next one as a number.
 * - `take_list()` returns a list that begins with its length.
 * - `has_arguments()` tells whether any are left.
 */
export const ARGUMENTS_LUA = `
local taken = 0
local function take()
  taken = taken + 1
  return ARGV[taken]
end

local function take_number()
  return tonumber(take())
end

local function take_list()
  local list = {}
  for n = 1, take_number() do list[n] = take() end
  return list
end

local function has_arguments()
  return taken < #ARGV
end
`;
