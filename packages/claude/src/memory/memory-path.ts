/** The folder of the workspace that Claude sees as `/memories`. */
export const ROOT = 'memories';

/**
 * The path in the workspace of a path as Claude writes it: `/memories/a.md` is `memories/a.md`. Throws if it is not below
 * `/memories`.
 */
export function workspacePath(path: string): string {
  if (path !== `/${ROOT}` && !path.startsWith(`/${ROOT}/`)) {
    throw new Error(`Path must start with /${ROOT}, got: ${path}`);
  }
  const names: string[] = [];
  for (const name of path.split('/').slice(2)) {
    if (name === '..' && names.pop() === undefined) throw new Error(`Path ${path} would escape /${ROOT} directory`);
    if (name !== '' && name !== '.' && name !== '..') names.push(name);
  }
  return [ROOT, ...names].join('/');
}
