import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Output } from '../../output/output.ts';
import { printable } from '../../output/printable.ts';
import { findByPrefix, typedId } from './find-by-prefix.ts';

/** How many characters of its own the beginning of an id needs to remove what has the id. */
const MIN_OWN = 6;
/** What many ids begin with, such as `content-`, tells nothing about one of them. */
const COMMON = /^\p{L}+(?:[-_:.]|$)/u;

/** What is removed, by id. */
interface Removal {
  readonly what: 'memory' | 'session' | 'conversation';
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
  /** The ids of which one may begin with a text. */
  idsLike(prefix: string): AsyncIterable<string>;
}

/** Removes each id in turn, or the only one that begins with it, and prints which ids existed. */
export async function removeEach(
  output: Output,
  ids: readonly string[],
  { what, remove, idsLike }: Removal,
): Promise<ExitCode> {
  const removed: string[] = [];
  const missing: string[] = [];
  for (const idOrPrefix of ids.map(typedId)) {
    const id = (await remove(idOrPrefix)) ? idOrPrefix : await idLike(idOrPrefix, idsLike);
    const isRemoved = id !== undefined && (id === idOrPrefix || (await remove(id)));
    (isRemoved ? removed : missing).push(isRemoved ? id : idOrPrefix);
    if (output.json) continue;
    if (isRemoved) await output.line(output.isTerminal ? `Removed ${printable(id)}` : printable(id));
    else output.note(await whyNot(what, idOrPrefix, idsLike));
  }
  if (output.json) await output.value({ removed, missing });
  return missing.length > 0 ? EXIT.nothing : EXIT.fine;
}

async function idLike(beginning: string, idsLike: Removal['idsLike']): Promise<string | undefined> {
  return isEnough(beginning) ? findByPrefix(beginning, idsLike(beginning)) : undefined;
}

function isEnough(beginning: string): boolean {
  return beginning.replace(COMMON, '').length >= MIN_OWN;
}

async function whyNot(what: Removal['what'], idOrPrefix: string, idsLike: Removal['idsLike']): Promise<string> {
  const id = printable(idOrPrefix);
  if (!isEnough(idOrPrefix)) {
    for await (const _ of idsLike(idOrPrefix)) {
      return `${id} is too short to remove a ${what} by. Give the whole id, or at least ${MIN_OWN} characters of its own.`;
    }
  }
  return `There is no ${what} ${id}.`;
}
