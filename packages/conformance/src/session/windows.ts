import assert from 'node:assert/strict';
import { type DurableSession, type JsonObject, recentItems } from '@keepsake/core';
import type { SessionCase, SessionCaseGroup } from './harness.ts';
import { answer, briefs, call, result, say, sayAll } from './items.ts';

/** A turn with two parallel tool calls: six items. */
function turn(name: string): JsonObject[] {
  return [
    say(`ask ${name}`),
    call(`${name}-1`),
    call(`${name}-2`),
    result(`${name}-2`),
    result(`${name}-1`),
    answer(`told ${name}`),
  ];
}

async function withTurns(session: DurableSession, names: readonly string[]): Promise<JsonObject[]> {
  for (const name of names) await session.addItems(turn(name));
  return names.flatMap(turn);
}

const names = Array.from({ length: 12 }, (_, index) => `t${index}`);

const cases: SessionCase[] = [
  {
    title: 'a window of turns begins where a turn begins',
    async run(harness) {
      const session = harness.open();
      await withTurns(session, names);
      for (const maxTurns of [1, 2, 7, 12, 50]) {
        const expected = names.slice(-maxTurns).flatMap(turn);
        assert.deepEqual(briefs(await recentItems(session, { maxTurns })), briefs(expected), `${maxTurns} turns`);
      }
    },
  },
  {
    title: 'a window of items splits no turn, and separates no call from its result',
    async run(harness) {
      const session = harness.open();
      await withTurns(session, names);
      for (const [maxItems, turns] of [
        [17, 2],
        [18, 3],
        [23, 3],
        [40, 6],
      ] as const) {
        const expected = names.slice(-turns).flatMap(turn);
        assert.deepEqual(briefs(await recentItems(session, { maxItems })), briefs(expected), `${maxItems} items`);
      }
    },
  },
  {
    title: 'a window of tokens counts as the caller counts',
    async run(harness) {
      const session = harness.open();
      await withTurns(session, names);
      const window = await recentItems(session, { maxTokens: 65, countTokens: () => 5 });
      assert.deepEqual(briefs(window), briefs(names.slice(-2).flatMap(turn)));
    },
  },
  {
    title: 'a window without limits is the whole history',
    async run(harness) {
      const session = harness.open();
      const items = await withTurns(session, names);
      assert.deepEqual(briefs(await recentItems(session, {})), briefs(items));
    },
  },
  {
    title: 'a window leaves out calls that were interrupted, and keeps the rest of their turn',
    async run(harness) {
      const session = harness.open();
      await session.addItems([...turn('a'), say('ask b'), call('b-1'), result('b-1'), call('b-2')]);
      const window = await recentItems(session, { maxTurns: 2 });
      assert.deepEqual(briefs(window), briefs([...turn('a'), say('ask b'), call('b-1'), result('b-1')]));
    },
  },
  {
    title: 'a window follows what was appended and popped',
    async run(harness) {
      const session = harness.open();
      const window = async () => briefs(await recentItems(session, { maxTurns: 2 }));
      assert.deepEqual(await window(), []);
      await session.addItems(sayAll('turn', 3));
      assert.deepEqual(await window(), ['turn 1', 'turn 2']);
      await session.popItem();
      assert.deepEqual(await window(), ['turn 0', 'turn 1']);
    },
  },
  {
    title: 'a window of a long history reads only its end',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('turn', 900));
      const limits: (number | undefined)[] = [];
      const watched = {
        getItems(limit?: number) {
          limits.push(limit);
          return session.getItems(limit);
        },
      };
      assert.equal((await recentItems(watched, { maxTurns: 20 })).length, 20);
      assert.ok(
        limits.every((limit) => limit !== undefined && limit <= 64),
        `it asked for ${limits.join()}`,
      );
    },
  },
];

export const windows: SessionCaseGroup = { concern: 'windows', cases };
