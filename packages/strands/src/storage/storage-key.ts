import { MAX_ID_LENGTH } from '@keepsake/core/adapter';
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
  return text.length <= MAX_ID_LENGTH && !text.includes('\0') && text.isWellFormed();
}

function namesOf(path: string, what: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  if (path.includes('\\') || names.includes('..')) {
    throw new StorageError(`A storage ${what} must not contain "\\" or the segment "..". Separate names with "/".`);
  }
  return names;
}
