import { copyData, expect, expectKnownFields, guarded } from '@keepsake/core/adapter';
import { isObject, quoted } from '@keepsake/internal';
import { MEMORY_SPACE, type MemorySpaceOptions, type UserData } from './space-options.ts';

/** A copy of the options, with that of all data in them: who has access, above all. */
export function copyOptions(rawOptions: MemorySpaceOptions): MemorySpaceOptions {
  const { agents, pools, teams, userNamespaces, ...options } = expectKnownFields(rawOptions, MEMORY_SPACE);
  const data = guarded('The options', () => copyData({ agents, pools, teams, userNamespaces }));
  return { ...options, ...data };
}

/** The checked `userData`, by name. */
export function checkUserData(
  userData: MemorySpaceOptions['userData'] = {},
): readonly (readonly [name: string, data: UserData])[] {
  expect(isObject(userData), '`userData` must be an object with names as keys.');
  const entries = guarded('`userData`', () => Object.entries(userData));
  for (const [name, data] of entries) {
    const methods = [data?.eraseUser, data?.exportUser];
    const isData = methods.every((method) => typeof method === 'function');
    expect(isData, `userData[${quoted(name)}] must have eraseUser and exportUser, such as a ConversationMemory.`);
  }
  return entries;
}
