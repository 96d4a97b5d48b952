/**
 * Lua: a part of a script that shares only these of its locals, functions or tables. A script can have 200 locals, which large
 * scripts would exceed.
 */
export function luaModule(shared: readonly string[], lua: string): string {
  const names = shared.join(', ');
  return `
local ${names} = (function()
${lua}
return ${names}
end)()
`;
}
