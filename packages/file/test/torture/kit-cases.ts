import { describeRecordStore, describeSession, type TestRunner } from '@keepsake/conformance';
import { FileSession, FileStore } from '../../src/index.ts';
import { damageItem } from '../damage.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/* Runs cases of the conformance kit by title, for guarantees that the kit already proves. */

/** Runs cases of a kit. Fails if there is no case with a title, or if the backend does not promise it. */
async function runCases(describeKit: (runner: TestRunner) => void, titles: readonly string[]): Promise<void> {
  const bodies = new Map<string, () => Promise<void>>();
  const it = Object.assign((title: string, body: () => Promise<void>) => bodies.set(title, body), { skip: () => {} });
  describeKit({ describe: (_, body) => body(), it });
  for (const title of titles) {
    const body = bodies.get(title);
    if (body === undefined) throw new Error(`The kit has no case "${title}" that FileSession or FileStore promises.`);
    try {
      await body();
    } catch (error) {
      throw new Error(`The case "${title}" fails.`, { cause: error });
    }
  }
}

/** Runs session cases on `FileSession`. */
export function runSessionCases(titles: readonly string[]): Promise<void> {
  return runCases((runner) => {
    describeSession({
      ...runner,
      name: 'FileSession',
      capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canDamage: true },
      harness() {
        const { path: directory, remove } = temporaryDirectory();
        const open = (sessionId?: string) =>
          new FileSession({
            directory,
            durability: 'os',
            onCorrupt() {},
            ...(sessionId === undefined ? {} : { sessionId }),
          });
        return { open, damage: (sessionId, index) => damageItem(directory, sessionId, index), close: remove };
      },
    });
  }, titles);
}

/** Runs store cases on `FileStore`. */
export function runStoreCases(titles: readonly string[]): Promise<void> {
  const { capabilities } = new FileStore({ directory: 'nowhere', name: 'memory' });
  return runCases((runner) => {
    describeRecordStore({
      ...runner,
      name: 'FileStore',
      capabilities,
      harness() {
        const { path: directory, remove } = temporaryDirectory();
        return {
          open: (options) => new FileStore({ directory, name: 'memory', durability: 'os', ...options }),
          close: remove,
        };
      },
    });
  }, titles);
}
