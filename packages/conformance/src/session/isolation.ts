import assert from 'node:assert/strict';
import type { JsonObject } from '@keepsake/core';
import { holds, refuses } from './expect.ts';
import { anyItem, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { briefs, call, say, sayAll } from './items.ts';

/** A message with nested values to change. */
function deepMessage(text: string) {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function change(item: unknown, text: string): void {
  const message = item as ReturnType<typeof deepMessage>;
  (message.content[0] as { text: string }).text = text;
  message.role = 'system';
}

const cases: SessionCase[] = [
  {
    title: 'changing an item after it was added changes nothing stored',
    async run(harness) {
      const session = harness.open();
      const item = deepMessage('original');
      await session.addItems([item]);
      change(item, 'changed');
      await holds(session, [say('original')]);
    },
  },
  {
    title: 'changing an item while it is being added changes nothing stored',
    async run(harness) {
      const session = harness.open();
      const item = deepMessage('original');
      const adding = session.addItems([item]);
      change(item, 'changed');
      await adding;
      await holds(session, [say('original')]);
    },
  },
  {
    title: 'changing the batch while it is being added changes nothing stored',
    async run(harness) {
      const session = harness.open();
      const batch = sayAll('item', 3);
      const adding = session.addItems(batch);
      batch.push(say('late'));
      batch[0] = say('other');
      await adding;
      await holds(session, sayAll('item', 3));
    },
  },
  {
    title: 'changing what was read changes nothing stored',
    async run(harness) {
      const session = harness.open();
      await session.addItems([deepMessage('one'), deepMessage('two')]);
      const read = await session.getItems();
      (read[0] as JsonObject).content = 'changed';
      read.length = 1;
      (await session.getItems(1)).pop();
      await holds(session, [say('one'), say('two')]);
    },
  },
  {
    title: 'two reads share nothing, at any depth',
    async run(harness) {
      const session = harness.open();
      await session.addItems([deepMessage('one')]);
      const [first, second] = [await session.getItems(), await session.getItems()];
      const content = first[0]?.content as { text: string }[];
      (content[0] as { text: string }).text = 'changed';
      assert.deepEqual(briefs(second), ['one']);
      assert.deepEqual(briefs(await session.getItems(1)), ['one']);
    },
  },
  {
    title: 'a popped item is not shared with earlier readers',
    async run(harness) {
      const session = harness.open();
      await session.addItems([deepMessage('one')]);
      const read = await session.getItems();
      const popped = (await session.popItem()) as JsonObject;
      ((popped.content as { text: string }[])[0] as { text: string }).text = 'changed';
      assert.deepEqual(briefs(read), ['one']);
    },
  },
  {
    title: 'an item that was popped, changed and added to another session is two items',
    async run(harness) {
      const [one, other] = [harness.open(), harness.open()];
      const item = deepMessage('original');
      await one.addItems([item]);
      await other.addItems([item]);
      const popped = (await one.popItem()) as JsonObject;
      popped.content = 'changed';
      await one.addItems([popped]);
      await holds(other, [say('original')]);
      await holds(one, [say('changed')]);
    },
  },
  {
    title: 'adding neither changes nor freezes its argument',
    async run(harness) {
      const session = harness.open();
      const item = deepMessage('original');
      const frozen = Object.freeze(deepMessage('frozen'));
      const batch = [item, frozen];
      await session.addItems(batch);
      assert.deepEqual(batch, [deepMessage('original'), deepMessage('frozen')]);
      assert.ok(!Object.isFrozen(batch) && !Object.isFrozen(item) && !Object.isFrozen(item.content));
    },
  },
  {
    title: 'read items can be changed freely: they are not frozen',
    async run(harness) {
      const session = harness.open();
      await session.addItems([deepMessage('one')]);
      const read = await session.getItems();
      const popped = (await session.popItem()) as JsonObject;
      assert.ok([read, read[0], read[0]?.content, popped, popped.content].every((value) => !Object.isFrozen(value)));
    },
  },
];

const rewrites: SessionCase[] = [
  {
    title: 'changing a transaction while it is being applied changes nothing stored',
    async run(harness) {
      const session = harness.open();
      const item = deepMessage('original');
      const items = [item];
      const apply = () =>
        session.applyHistoryTransaction({ operationId: 'operation-1', transaction: { type: 'append_items', items } });
      const applying = apply();
      change(item, 'changed');
      items.push(deepMessage('late'));
      await applying;
      await holds(session, [say('original')]);
      // The arguments at the time of the call identify a transaction.
      await refuses('CONFLICT', apply);
      items.pop();
      change(item, 'original');
      item.role = 'user';
      await apply();
      await holds(session, [say('original')]);
    },
  },
  {
    title: 'changing a compaction while it is being stored changes nothing stored',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('old', 2));
      const items = [deepMessage('summary')];
      const compacting = session.replaceHistoryWithCompaction(items);
      change(items[0], 'changed');
      items.push(deepMessage('late'));
      await compacting;
      change(items[0], 'changed again');
      await holds(session, [say('summary')]);
    },
  },
  {
    title: 'changing a mutation while it is being applied changes nothing stored',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await session.addItems([call('c-1'), call('c-2')]);
      const replacement = call('c-1', 'renamed');
      const mutation = { type: 'replace_function_call' as const, callId: 'c-1', replacement };
      const mutations = [mutation];
      const applying = session.applyHistoryMutations({ mutations });
      replacement.name = 'changed';
      mutation.callId = 'c-2';
      mutations.pop();
      await applying;
      replacement.name = 'changed again';
      await holds(session, [call('c-1', 'renamed'), call('c-2')]);
    },
  },
];

export const isolation: SessionCaseGroup = {
  concern: "the caller's objects",
  cases: [...cases, ...rewrites.map(whereDurable)],
};
