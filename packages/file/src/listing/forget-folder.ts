import { basename, dirname } from 'node:path';
import { forgetChanges } from './changes.ts';
import { forgetSaved } from './saved-list.ts';

/** Removes what the files of the list tell of a session that was removed. */
export function forgetFolder(folder: string): void {
  const [parent, name] = [dirname(folder), basename(folder)];
  forgetChanges(parent, name);
  forgetSaved(parent, name);
}
