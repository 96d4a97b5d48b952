/**
 * The URL of a module, for `--import` of Node, that sends requests to another server, because the AI SDK's gateway has its
 * address in its code.
 */
export function redirection(from: string, to: string): string {
  const code = `const { fetch } = globalThis;
    globalThis.fetch = (input, init) => fetch(String(input).replace('${from}', '${to}'), init);`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
