import { parse, sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** What the program uses of its process: `process`, or a stand-in for it. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  cwd(): string;
  on(event: 'SIGINT', listener: () => void): unknown;
  off(event: 'SIGINT', listener: () => void): unknown;
  exit(exitCode: number): never;
}

/** Its fields are those of a terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * The path of a file or directory that the command line names, which may be relative. `..` stays, because the system follows
 * links before it. What is no path stays too, so that it is refused: a blank text, and the `:memory:` of SQLite.
 */
export function pathOf(surroundings: Surroundings, path: string): string {
  const isRelative = parse(path).root === '';
  return isRelative && path.trim() !== '' && path !== ':memory:' ? `${surroundings.cwd()}${sep}${path}` : path;
}
