import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARE } from '@keepsake/testing/share';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepsake, keepsakeProcess } from '../keepsake.ts';
import { useDirectories } from '../use-directories.ts';
import { BACKENDS, type Backend, type Place } from './backends.ts';
import { contentsOf, fill } from './contents.ts';

const temporaryDirectory = useDirectories();
const NAMES = Object.keys(BACKENDS);
/** By day, each backend is the source of one copy and the destination of one. */
const RING = NAMES.map((from, index) => [from, NAMES[(index + 1) % NAMES.length] as string] as const);
const ALL = NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => [from, to] as const));
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

const COPY = ['copy', '--from', 'from.config.mts', '--to', 'to.config.mts', '--json'];

/** What the copies die after; by day, each copy one of these. */
const DEATHS = ['putMany 3', 'addItems 3'] as const;

/** A project with the configurations of a filled place and a new one. */
async function project(fromName: string, toName: string) {
  const from = sources.get(fromName) as Place;
  const to = (await backends.get(toName)?.place()) as Place;
  const cwd = temporaryDirectory();
  symlinkSync(INSTALLED, join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'from.config.mts'), from.config);
  writeFileSync(join(cwd, 'to.config.mts'), to.config);
  return { from, to, cwd };
}

/** Copies to the end, and again, and expects the places to be equal. Returns what the first copy did. */
async function copyAndCompare({ from, to, cwd }: Awaited<ReturnType<typeof project>>) {
  const ended = await keepsake(COPY, { cwd });
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  const { verified, ...copied } = JSON.parse(ended.stdout);
  const original = await contentsOf(from);
  expect(await contentsOf(to)).toEqual(original);
  const all = Object.values(original.records).flat().length;
  expect(verified).toMatchObject({ records: all, sessions: 3, items: 1_102, differences: [] });

  const again = JSON.parse((await keepsake(COPY, { cwd })).stdout);
  expect(again).toEqual({
    records: { copied: 0, alreadyThere: all },
    sessions: { copied: 0, alreadyThere: 3 },
    verified,
  });
  return { ...copied, all };
}

describe.concurrent('copy', () => {
  it.each(SHARE === 1 ? ALL : RING)(
    'copies everything from %s to %s, resumed after kills',
    async (fromName, toName) => {
      const places = await project(fromName, toName);
      const deaths = SHARE === 1 ? DEATHS : [DEATHS[NAMES.indexOf(fromName) % 2]];
      for (const diesAfter of deaths) {
        const env = { NODE_NO_WARNINGS: '1', DIES_AFTER: `${diesAfter}` };
        expect(await keepsakeProcess(COPY, { cwd: places.cwd, env })).toMatchObject({ signal: 'SIGKILL', stderr: '' });
      }
      const { all, records, sessions } = await copyAndCompare(places);
      if (deaths.at(-1) === 'addItems 3') {
        // A process had copied the rest of the records, and died while it copied the longest session.
        expect(records).toEqual({ copied: 0, alreadyThere: all });
      } else {
        expect(records.alreadyThere).toBeGreaterThan(0);
        expect(records.copied).toBeGreaterThan(0);
      }
      expect(sessions.copied).toBeGreaterThan(0);
    },
  );
});
