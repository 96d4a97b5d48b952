import path from 'node:path';
import { ReferenceSession } from '../reference.ts';
import { keyed, type Mutant, type Mutants } from './mutant.ts';

/** Clears every session whose id matches. */
function clearingAll(matches: (id: string, own: string) => boolean): Mutant {
  return class extends ReferenceSession {
    override async clearSession(): Promise<void> {
      await super.clearSession();
      for (const [key, stored] of this.backend.sessions) {
        if (matches(key, this.id)) this.backend.sessions.set(key, { ...stored, items: [] });
      }
    }
  };
}

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function globMatches(id: string, glob: string): boolean {
  return new RegExp(`^${literal(glob).replaceAll('\\*', '.*').replaceAll('\\?', '.')}$`, 's').test(id);
}

function likeMatches(id: string, like: string): boolean {
  return new RegExp(`^${literal(like).replaceAll('%', '.*').replaceAll('_', '.')}$`, 's').test(id);
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Accepts invalid ids. */
function accepting(id: (id: string) => boolean): Mutant {
  return class extends ReferenceSession {
    protected override checkSessionId(sessionId: string): void {
      if (!id(sessionId)) super.checkSessionId(sessionId);
    }
  };
}

export const idMutants: Mutants = {
  'ids that are paths name sessions, not places': [
    keyed((id) => path.posix.resolve('/sessions', id)),
    keyed((id) => path.posix.basename(id)),
    keyed((id) => id.replaceAll('\\', '/')),
  ],
  'ids with glob characters match nothing but themselves': [
    clearingAll(globMatches),
    keyed((id) => id.replaceAll(/[*?]/g, '_')),
  ],
  'ids with the wildcards of SQL match nothing but themselves': [
    clearingAll(likeMatches),
    keyed((id) => id.replaceAll("''", "'")),
  ],
  'ids with separators stay whole': [
    keyed((id) => id.replaceAll(/[^a-z]/g, '-')),
    keyed((id) => id.split(':')[0] as string),
    clearingAll((id, own) => id.startsWith(`${own}:`)),
  ],
  'ids that look percent-encoded are not decoded': [keyed(decoded), keyed((id) => id.replaceAll('+', ' '))],
  'an id is not its prefix or its extension': [
    clearingAll((id, own) => id.startsWith(own)),
    keyed((id) => id.replace(/\.(jsonl?|log)$/, '')),
  ],
  'ids that differ in case are different': [keyed((id) => id.toLowerCase()), keyed((id) => id.toUpperCase())],
  'ids that look the same in Unicode are different': [
    keyed((id) => id.normalize('NFC')),
    keyed((id) => id.normalize('NFKC')),
    keyed((id) => id.replaceAll(/[\u200b-\u200d\ufeff\u00ad]/g, '')),
    keyed((id) => (id.localeCompare('cafe', 'en', { sensitivity: 'base' }) === 0 ? 'cafe' : id)),
  ],
  'ids that are reserved names of operating systems are ordinary': [
    keyed((id) => id.toUpperCase().replace(/[. ]+$/, '')),
    keyed((id) => id.trim()),
    keyed((id) => (Number.isNaN(Number(id)) ? 'none' : id)),
  ],
  'ids that are names of built-in object properties are ordinary': keyed((id) => (id in {} ? 'object' : id)),
  'ids with line breaks, control characters and spaces stay as they are': [
    keyed((id) => id.replaceAll(/\s+/g, ' ')),
    keyed((id) => id.trim()),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the point
    keyed((id) => id.replaceAll(/[\x00-\x1f\x7f]/g, '')),
  ],
  'ids with the hash tags of a cluster are ordinary': keyed((id) => /\{(.+?)\}/.exec(id)?.[1] ?? id),
  'ids of emoji and rare scripts are ordinary': keyed((id) => id.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?')),
  'long ids that differ in one character are different': [
    keyed((id) => id.slice(0, 255)),
    keyed((id) => encodeURIComponent(id).slice(0, 255)),
  ],
  'an id may have 512 characters': [
    keyed((id) => id.slice(0, 511)),
    class extends ReferenceSession {
      protected override checkSessionId(sessionId: string): void {
        super.checkSessionId(`${sessionId}.jsonl`);
      }
    },
  ],
  'an empty id is refused': accepting((id) => id === ''),
  'an id with a NUL character is refused': accepting((id) => id.includes('\0')),
  'an id with a lone surrogate is refused': accepting((id) => !id.isWellFormed()),
  'an id of more than 512 characters is refused': [
    accepting((id) => id.length > 512),
    accepting((id) => [...id].length <= 512),
  ],
  'an id that is not a string is refused': accepting((id) => typeof id !== 'string'),
};
