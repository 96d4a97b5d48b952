import type { Readable, Writable } from 'node:stream';

/** What the program uses of its process. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly versions: { readonly node: string };
  cwd(): string;
}
