import { promises } from 'node:fs';
import { join } from 'node:path';
import type { SessionKind } from './session-kind.ts';
import { type Turn, textOf } from './turn.ts';

/**
 * A stand-in for the file session that circulates as an example for the OpenAI Agents SDK, rewritten from its behaviour: the
 * history is one indented JSON file, which every append reads, parses and writes as a whole.
 */
export const exampleFileSession: SessionKind = {
  name: 'example FileSession, stand-in',
  column: 'example FileSession',
  layout: 'example',
  async open(directory, begin = []) {
    const path = join(directory, 'session.json');
    if (begin.length > 0)
      await write(
        path,
        begin.flatMap(({ items }) => items),
      );
    return {
      async append({ items }: Turn) {
        await write(path, [...(await read(path)), ...items]);
      },
      newest: async (count) => (await read(path)).slice(-count).map(textOf),
    };
  },
};

async function read(path: string): Promise<object[]> {
  try {
    return JSON.parse(await promises.readFile(path, 'utf8')) as object[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function write(path: string, items: readonly object[]): Promise<void> {
  return promises.writeFile(path, JSON.stringify(items, null, 2));
}
