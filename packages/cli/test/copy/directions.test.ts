import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, keepsake } from '../keepsake.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { BACKENDS, type Backend, type Place } from './backends.ts';
import { contentsOf, fill } from './contents.ts';

const NAMES = Object.keys(BACKENDS);
const DIRECTIONS = NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => [from, to] as const));
const INSTALLED = join(import.meta.dirname, '../../../../node_modules');

const backends = new Map<string, Backend>();
const sources = new Map<string, Place>();

beforeAll(async () => {
  await Promise.all(
    Object.entries(BACKENDS).map(async ([name, start]) => {
      const backend = await start(temporaryDirectory);
      backends.set(name, backend);
      const place = await backend.place();
      await fill(place);
      sources.set(name, place);
    }),
  );
});
afterAll(async () => {
  await Promise.all([...backends.values()].map((backend) => backend.stop()));
});

/** Runs `keepsake copy` between the configurations of two places, which may die after some calls. */
function copy(cwd: string, args: readonly string[] = [], diesAfter = ''): Promise<Ended> {
  const env = { NODE_NO_WARNINGS: '1', DIES_AFTER: diesAfter };
  return keepsake(['copy', '--from', 'from.config.mts', '--to', 'to.config.mts', ...args], { cwd, env });
}

describe.concurrent('copy', () => {
  it.each(DIRECTIONS)('copies everything from %s to %s, resumed after two kills', async (fromName, toName) => {
    const from = sources.get(fromName) as Place;
    const to = (await backends.get(toName)?.place()) as Place;
    const cwd = temporaryDirectory();
    symlinkSync(INSTALLED, join(cwd, 'node_modules'));
    writeFileSync(join(cwd, 'from.config.mts'), from.config);
    writeFileSync(join(cwd, 'to.config.mts'), to.config);

    for (const diesAfter of ['putMany 3', 'addItems 3']) {
      expect(await copy(cwd, [], diesAfter)).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    }
    const ended = await copy(cwd, ['--json']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    const { records, sessions, verified } = JSON.parse(ended.stdout);
    const original = await contentsOf(from);
    expect(await contentsOf(to)).toEqual(original);
    const all = Object.values(original.records).flat().length;
    // The second process copied the rest of the records, and died while it copied the longest session.
    expect(records).toEqual({ copied: 0, alreadyThere: all });
    expect(sessions.copied).toBeGreaterThan(0);
    expect(verified).toMatchObject({ records: all, sessions: 3, items: 1_102, differences: [] });

    const again = JSON.parse((await copy(cwd, ['--json'])).stdout);
    expect(again).toEqual({
      records: { copied: 0, alreadyThere: all },
      sessions: { copied: 0, alreadyThere: 3 },
      verified,
    });
  });
});
