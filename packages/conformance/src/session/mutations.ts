import type { JsonObject, SessionHistoryMutation } from '@keepsake/core';
import { holds, refuses } from './expect.ts';
import { anyItem, openTogether, type SessionCase, type SessionCaseGroup, shared, whereDurable } from './harness.ts';
import { call, result, say, sayAll } from './items.ts';

export function replaceCall(callId: string, replacement: JsonObject): SessionHistoryMutation {
  return { type: 'replace_function_call', callId, replacement };
}

const cases: SessionCase[] = [
  {
    title: 'a mutation replaces the call in its place',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('go'), call('c-1'), result('c-1')]);
      await session.addItems([say('done')]);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'renamed'))] });
      await holds(session, [say('go'), call('c-1', 'renamed'), result('c-1'), say('done')]);
    },
  },
  {
    title: 'of several calls with one id the first is replaced and the others are dropped',
    async run(harness) {
      const session = harness.open();
      await session.addItems([call('c-1', 'first'), say('a'), call('c-1', 'second'), say('b')]);
      await session.addItems([call('c-1', 'third'), say('c')]);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] });
      await holds(session, [call('c-1', 'new'), say('a'), say('b'), say('c')]);
    },
  },
  {
    title: 'a mutation of an unknown call changes nothing',
    async run(harness) {
      const session = harness.open();
      await session.applyHistoryMutations({ mutations: [replaceCall('c-9', call('c-9', 'new'))] });
      await holds(session, []);
      await session.addItems([say('go'), call('c-1')]);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-9', call('c-9', 'new'))] });
      await holds(session, [say('go'), call('c-1')]);
    },
  },
  {
    title: 'a mutation replaces calls only: results and messages that name the call stay',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('c-1'), say('{"type":"function_call","callId":"c-1"}'), call('c-1'), result('c-1')]);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] });
      await holds(session, [
        say('c-1'),
        say('{"type":"function_call","callId":"c-1"}'),
        call('c-1', 'new'),
        result('c-1'),
      ]);
    },
  },
  {
    title: 'a call inside another item is not an item',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const outer = { type: 'note', callId: 'c-1', inner: call('c-1'), list: [call('c-1')] };
      await session.addItems([outer, call('c-1')]);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] });
      await holds(session, [outer, call('c-1', 'new')]);
    },
  },
  {
    title: 'call ids are literal and compared exactly',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const ids = [
        'c',
        'C',
        'cc',
        'c*',
        'c%',
        'c_',
        'c"',
        'c\\',
        'c\n',
        'caf\u00e9',
        'cafe\u0301',
        '',
        '🙂',
        '__proto__',
      ];
      await session.addItems(ids.map((id) => call(id)));
      for (const id of ids) {
        await session.applyHistoryMutations({ mutations: [replaceCall(id, call(id, `new ${ids.indexOf(id)}`))] });
      }
      await holds(
        session,
        ids.map((id, index) => call(id, `new ${index}`)),
      );
    },
  },
  {
    title: 'several mutations are applied one after the other',
    async run(harness) {
      const session = harness.open();
      await session.addItems([call('c-1'), call('c-2'), call('c-3')]);
      const mutations = [
        replaceCall('c-3', call('c-3', 'new')),
        replaceCall('c-1', call('c-4', 'moved')),
        replaceCall('c-4', call('c-4', 'moved twice')),
        replaceCall('c-9', call('c-9', 'unknown')),
      ];
      await session.applyHistoryMutations({ mutations });
      await holds(session, [call('c-4', 'moved twice'), call('c-2'), call('c-3', 'new')]);
    },
  },
  {
    title: 'a replacement can be any item, and is stored unchanged',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('go'), call('c-1'), say('done')]);
      const replacement = { note: 'withdrawn', list: [1, { two: null }] };
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', replacement)] });
      await holds(session, [say('go'), replacement, say('done')]);
    },
  },
  {
    title: 'a call far back in a long history is found',
    async run(harness) {
      const session = harness.open();
      await session.addItems([call('c-1'), ...sayAll('item', 600)]);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] });
      await holds(session, [call('c-1', 'new'), ...sayAll('item', 600)]);
    },
  },
  {
    title: 'no mutations change nothing',
    async run(harness) {
      const session = harness.open();
      await session.applyHistoryMutations({ mutations: [] });
      await session.addItems([say('go'), call('c-1')]);
      await session.applyHistoryMutations({ mutations: [] });
      await holds(session, [say('go'), call('c-1')]);
    },
  },
  {
    title: 'one invalid mutation refuses all, and changes nothing',
    async run(harness) {
      const session = harness.open();
      await session.addItems([call('c-1'), call('c-2')]);
      const good = replaceCall('c-1', call('c-1', 'new'));
      const wrong = [
        undefined,
        null,
        { type: 'drop_function_call', callId: 'c-2' },
        { type: 'replace_function_call', callId: 'c-2' },
        { type: 'replace_function_call', callId: 'c-2', replacement: null },
        { type: 'replace_function_call', callId: 'c-2', replacement: [call('c-2')] },
        { type: 'replace_function_call', replacement: call('c-2') },
        { type: 'replace_function_call', callId: 2, replacement: call('c-2') },
      ];
      for (const bad of wrong) {
        const mutations = [good, bad as SessionHistoryMutation];
        await refuses('INVALID_ARGUMENT', () => session.applyHistoryMutations({ mutations }), JSON.stringify(bad));
      }
      await refuses('INVALID_ARGUMENT', () =>
        session.applyHistoryMutations({ mutations: good as unknown as SessionHistoryMutation[] }),
      );
      await holds(session, [call('c-1'), call('c-2')]);
    },
  },
  {
    title: 'a session works as before after a mutation: appends, limits and pops',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('go'), call('c-1'), say('mid'), call('c-1'), say('end')]);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] });
      await session.addItems([say('more')]);
      await holds(session, [say('go'), call('c-1', 'new'), say('mid'), say('end'), say('more')]);
      await holds({ getItems: () => session.getItems(4) }, [call('c-1', 'new'), say('mid'), say('end'), say('more')]);
      for (let time = 0; time < 3; time++) await session.popItem();
      await holds(session, [say('go'), call('c-1', 'new')]);
    },
  },
  {
    title: 'a mutation through one instance is seen by the others',
    when: shared,
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      await one.addItems([call('c-1'), say('go')]);
      await holds(other, [call('c-1'), say('go')]);
      await one.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] });
      await holds(other, [call('c-1', 'new'), say('go')]);
    },
  },
];

export const mutations: SessionCaseGroup = { concern: 'mutations', cases: cases.map(whereDurable) };
