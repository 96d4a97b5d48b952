import { checkId } from '@keepsake/core/adapter';
import { StorageError } from '@strands-agents/sdk';

/** A key as it is stored: in the storages of Strands, too, `/a//b/` and `a/b` are the same key. */
export function storageKey(key: string): string {
  const names = namesOf(key, 'key');
  if (names.length === 0) throw new StorageError('A storage key must not be empty. Pass a name such as `notes.json`.');
  return names.join('/');
}

/** A prefix of keys as they are stored. A `/` at the end stays, and the empty prefix is that of every key. */
export function storagePrefix(prefix: string): string {
  const joined = namesOf(prefix, 'prefix').join('/');
  return joined !== '' && prefix.endsWith('/') ? `${joined}/` : joined;
}

/** Whether records can have `text` in their id. */
export function isIdText(text: string): boolean {
  try {
    checkId(text, 'key');
    return true;
  } catch {
    return false;
  }
}

function namesOf(path: string, what: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  if (path.includes('\\') || names.includes('..')) {
    throw new StorageError(`A storage ${what} must not contain "\\" or the segment "..". Separate names with "/".`);
  }
  return names;
}
