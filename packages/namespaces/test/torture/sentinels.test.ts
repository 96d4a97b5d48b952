import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, useDirectory } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import type { Place } from '../backends/backend.ts';
import { BACKENDS } from '../backends/backends.ts';
import { onSomeBackends } from '../backends/index.ts';
import { redisCluster } from '../backends/redis-cluster.ts';
import { countsIn, differences, exported, filesIn, listed } from '../sentinels/look-for.ts';
import { PATHS, readSentinels, writeSentinels } from '../sentinels/paths.ts';
import { WORDS } from '../sentinels/words.ts';
import { openWorld, type World } from '../sentinels/world.ts';

/* Words that occur nowhere else, written by every package on every path, and then looked for wherever they can be. */

const directory = useDirectory();
const EXPORTED = Object.fromEntries(PATHS.filter((path) => path.isExported).map(({ name }) => [name, WORDS]));
const ERASE = { sharedEntries: true };
/**
 * The removals that processes die in, one after another, on each backend that other processes reach: 20 in all. Of some 330
 * removals, the first half is in conversations, then follow memories, shared entries and sessions.
 */
const KILLS = [60, 100, 60, 50, 40].slice(0, rounds(5));

onSomeBackends(
  (newPlace, backend) => {
    it('one call exports and erases what every package stored of a user, and nothing of another user', async (context) => {
      const { place, world } = await filledPlace(newPlace());
      const before = await stateOf(place, world, 'bob');
      const exportOfAlice = await exported(world, 'alice');
      expect(countsIn(exportOfAlice, 'alice')).toEqual(EXPORTED);
      expect(countsIn(exportOfAlice, 'bob')).toEqual({});
      expect(countsIn(before.raw, 'alice')).toMatchObject(EXPORTED);

      const dry = await world.space.eraseUser('alice', { ...ERASE, dryRun: true });
      expect(differences(exportOfAlice, await exported(world, 'alice'))).toEqual([]);
      const receipt = await world.space.eraseUser('alice', ERASE);
      expect(countsOf(receipt)).toEqual(countsOf(dry));
      await expectErased(place, world, before);
      const searched = `${count(PATHS.length)} paths, ${count(PATHS.length * WORDS)} words of each user`;
      show(context, 31, `${backend}: ${searched}, 0 of the erased user left`);
    });
  },
  [...BACKENDS, redisCluster],
);

onSomeBackends(
  (newPlace, backend) => {
    it('an erasure that is killed in the middle is finished by the next one', async (context) => {
      const { place, world } = await filledPlace(newPlace());
      const before = await stateOf(place, world, 'bob');
      for (const at of KILLS) {
        const args = [backend, place.address ?? '', directory.path, String(at)];
        const program = startProgram(join(import.meta.dirname, '../programs/erase-sentinels.ts'), args);
        expect(await once(program, 'close')).toEqual([null, 'SIGKILL']);
      }
      expect(countsIn(await exported(world, 'alice'), 'alice')).not.toEqual({});
      await world.space.eraseUser('alice', ERASE);
      await expectErased(place, world, before);
      show(context, 31, `${backend}: what all packages stored, kills by SIGKILL: ${KILLS.length}, 0 left`);
    });
  },
  BACKENDS.filter(({ reach }) => reach !== undefined),
);

async function filledPlace(place: Place) {
  const world = openWorld(place.store, place.sessions, directory.path);
  for (const user of ['alice', 'bob']) await writeSentinels(world, user);
  // Until what is meant to expire has expired.
  await sleep(20);
  return { place, world };
}

/** All that a user has, and the raw storage. */
async function stateOf(place: Place, world: World, user: string) {
  return {
    exported: await exported(world, user),
    read: await readSentinels(world, user),
    raw: (await place.raw()) + filesIn(directory.path),
  };
}

/** Fails unless nothing of Alice is left, and all of Bob as it was. */
async function expectErased(place: Place, world: World, before: Awaited<ReturnType<typeof stateOf>>): Promise<void> {
  const after = await stateOf(place, world, 'bob');
  expect(countsIn(after.raw, 'alice')).toEqual({});
  expect(countsIn(await listed(world, 'alice'), 'alice')).toEqual({});
  expect(countsIn(await readSentinels(world, 'alice'), 'alice')).toEqual({});
  const kinds = (await exported(world, 'alice'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).kind);
  expect(kinds.filter((kind) => kind !== undefined && kind !== 'data')).toEqual([]);
  expect(differences(before.exported, after.exported)).toEqual([]);
  expect(differences(before.read, after.read)).toEqual([]);
  expect(countsIn(after.raw, 'bob')).toMatchObject(EXPORTED);
  expect(countsOf(await world.space.eraseUser('alice', ERASE))).toMatchObject({ namespaces: [], sessions: 0 });
}

/** A receipt without what differs between a dry run and an erasure. */
function countsOf(receipt: object): unknown {
  const varying = ['dryRun', 'compacted', 'completedAt'];
  return JSON.parse(JSON.stringify(receipt, (name, value) => (varying.includes(name) ? undefined : value)));
}
