import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationMemory } from '@keepsake/conversations';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BACKENDS, type Backend, type Place } from './copy/backends.ts';
import { keepsake } from './keepsake.ts';
import { fixture } from './run-import.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const INSTALLED = join(import.meta.dirname, '../../../node_modules');

/** Every command of the program that works on a backend, and what it prints at least; with the exit code unless it is 0. */
const COMMANDS: readonly (readonly [args: string, prints: string | RegExp, exitCode?: number])[] = [
  ['remember Lives-in-Lisbon --namespace u:alice', /^content-[0-9a-f]{64}\n/],
  ['remember Lives-in-Porto --namespace u:bob', /^content-/],
  ['import talk.jsonl', '4 added, 0 already there, 2 skipped (no text).'],
  ['import talk.jsonl', '0 added, 4 already there'],
  ['import agents-session.jsonl --as sessions', '1 session added, 0 already there: 5 new items.'],
  ['recall Which hive swarmed', 'The blue hive swarmed on Sunday.'],
  ['recall xylophone', '', 3],
  ['list', "Oma's pear tree"],
  ['list --namespace nobody', '', 3],
  ['namespaces', 'u:alice\t1\n'],
  ['export --namespace u:alice', '"content":"Lives-in-Lisbon"'],
  ['forget content- --namespace u:bob', '', 3],
  ['forget content-648932 --namespace u:bob', /^content-/],
  ['sessions', /^messages-[0-9a-f]{40}\t5\t/],
  ['sessions show messages', 'call\ttimetable('],
  ['conversations', /trip-1\tagent\talice\t/],
  ['conversations waiting', /^trip-1\tagent\talice\t/],
  ['conversations show trip', 'user\tBook it\n'],
  ['workspace show', /^run-1\t/],
  ['copy --from keepsake.config.mts --to copied.db', '1 session, 5 items. Digest: '],
  ['export-user alice', 'Lives-in-Lisbon'],
  ['erase-user alice --dry-run', 'memories\t1\n'],
  ['erase-user alice', 'conversations\t1\n'],
  ['erase-user alice', 'memories\t0\n'],
  ['conversations', '', 3],
  ['conversations delete trip', '', 3],
  ['sessions delete messages-15e584', /^messages-/],
  ['sessions', '', 3],
  ['workspace forget run-1', 'run-1\n'],
  ['doctor', '', 2],
  ['backup elsewhere', '', 2],
];

const backends = new Map<string, Backend>();
beforeAll(async () => {
  for (const [name, start] of Object.entries(BACKENDS)) backends.set(name, await start(temporaryDirectory));
});
afterAll(async () => {
  await Promise.all([...backends.values()].map((backend) => backend.stop()));
});

describe('through the configuration', () => {
  it.each(Object.keys(BACKENDS))('every command works on %s', async (name) => {
    const place = (await backends.get(name)?.place()) as Place;
    const cwd = await project(place);
    for (const [args, prints, exitCode = 0] of COMMANDS) {
      const result = await keepsake(args.split(' '), { cwd });
      expect.soft(result, `keepsake ${args}: ${result.stderr}`).toMatchObject({
        exitCode,
        stdout: typeof prints === 'string' ? expect.stringContaining(prints) : expect.stringMatching(prints),
      });
    }
  });
});

/** A project with the configuration of a place, which has a conversation of an agent; and a workspace with one run. */
async function project({ config, store }: Place): Promise<string> {
  const cwd = temporaryDirectory();
  symlinkSync(INSTALLED, join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'keepsake.config.mts'), config);
  for (const name of ['talk.jsonl', 'agents-session.jsonl']) writeFileSync(join(cwd, name), fixture(name));
  const conversations = new ConversationMemory({ store, fullSessionMemory: true });
  const conversation = conversations.for('agent', { sessionId: 'trip-1', userId: 'alice' });
  const items = [{ role: 'user', content: 'Book it' }];
  for (const status of ['completed', 'paused'] as const) await conversation.save({ status, items });
  const model = { generate: () => Promise.reject(new Error('not asked here')) };
  const memory = new WorkspaceMemory({ workspace: localDirectory(join(cwd, '.agent')), model });
  const terminal = { state: 'completed', hasFinalOutput: false } as const;
  const run = { input: 'Ship it', generatedItems: [], terminal, updatedAt: '2026-05-03T09:12:00Z' };
  await memory.run({ conversationId: 'run-1' }).append(run);
  await memory.close();
  return cwd;
}
