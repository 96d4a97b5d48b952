import assert from 'node:assert/strict';
import { type DurableSession, isMemoryError, type JsonObject, recentItems } from '@keepsake/core';
import { encrypted } from '@keepsake/privacy';
import fc from 'fast-check';
import { ring } from './encryption.ts';
import { failureOf, holds } from './expect.ts';
import { anyId, anyItem, durable, openTogether, type SessionCase, type SessionCaseGroup } from './harness.ts';
import { type Command, commands, commandText, ModelSession } from './history-model.ts';
import { answer, brief, briefs, call, result, say } from './items.ts';

/** Enough to find common faults, and few enough for a slow backend. */
const RUNS = 50;

/** A slow backend gets fewer runs, so that the test does not time out. Shrinking ends then, too. */
const TIME_LIMIT_MS = 20_000;

function check<T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => Promise<void>, numRuns = RUNS): Promise<void> {
  const options = { numRuns, interruptAfterTimeLimit: TIME_LIMIT_MS };
  return fc.assert(fc.asyncProperty(arbitrary, property), options);
}

/** Runs commands through alternating instances of one session, and compares it with a plain array after each. */
async function follow(sessions: readonly DurableSession[], history: readonly Command[]): Promise<void> {
  const model = new ModelSession();
  for (const [step, command] of history.entries()) {
    const session = sessions[step % sessions.length] as DurableSession;
    const what = `${step + 1}. ${commandText(command)}`;
    const expected = model.apply(command);
    const outcome = await outcomeOf(session, command);
    assert.equal(outcome, expected, what);
  }
  for (const session of sessions) await holds(session, model.items);
}

/** The result of a command, as comparable text. */
async function outcomeOf(session: DurableSession, command: Command): Promise<string> {
  let outcome = '';
  const failure = await failureOf(async () => {
    outcome = await perform(session, command);
  });
  if (failure === undefined) return outcome;
  if (isMemoryError(failure)) return failure.code;
  throw failure;
}

async function perform(session: DurableSession, command: Command): Promise<string> {
  switch (command.kind) {
    case 'read':
      return briefs(await session.getItems(command.limit)).join();
    case 'pop': {
      const item = await session.popItem();
      return item === undefined ? 'nothing' : brief(item);
    }
    case 'add':
      await session.addItems([...command.items]);
      return 'done';
    case 'clear':
      await session.clearSession();
      return 'done';
    case 'compact':
      await session.replaceHistoryWithCompaction([...command.items]);
      return 'done';
    case 'mutate':
      await session.applyHistoryMutations({ mutations: [...command.mutations] });
      return 'done';
    case 'operation':
      await session.applyHistoryTransaction({ operationId: command.operationId, transaction: command.transaction });
      return 'done';
  }
}

const histories: SessionCase[] = [
  {
    title: 'after any history of commands, a session equals a plain array',
    async run(harness, capabilities) {
      await check(commands(25, capabilities), (history) => follow([harness.open()], history));
    },
  },
  {
    title: 'after any history of commands through two instances, a session equals a plain array',
    when: (capabilities) => capabilities.shared && capabilities.keepsIdOnClear,
    async run(harness, capabilities) {
      await check(
        commands(20, capabilities),
        async (history) => follow(await openTogether(harness, capabilities, 2), history),
        30,
      );
    },
  },
  {
    title: 'after any history of commands, an encrypted session equals a plain array',
    when: (capabilities) => capabilities.anyItem && capabilities.keepsIdOnClear && durable(capabilities),
    async run(harness, capabilities) {
      await check(commands(20, capabilities), (history) => follow([encrypted(harness.open(), ring)], history), 30);
    },
  },
];

/** Any character but a surrogate. For `unit: 'binary'`, fast-check spends seconds on a table of all characters. */
const anyCharacter = fc.integer({ min: 0, max: 0x10f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/** Text of any UTF-16 code units, with special characters more often. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\0',
      '\n',
      '"',
      '\\',
      '\u2028',
      '\ud800',
      '\udc00',
      '🙂',
      'é',
      'e\u0301',
      '%',
      "'",
      '$',
      '__proto__',
    ),
    anyCharacter,
  ),
  maxLength: 12,
});

const anyKey = fc.oneof(
  { weight: 4, arbitrary: anyText },
  fc.constantFrom('__proto__', 'constructor', 'toString', '', '0'),
);

const anyObject = fc.dictionary(
  anyKey,
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.oneof(
        anyText,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(anyKey, tie('value'), { maxKeys: 4 }),
    ),
  })).value,
  { maxKeys: 5 },
);

const idCharacter = fc.constantFrom(...':*?[]\\%_./{} aAbé~\n');

/** Ids that differ in one character, or of which one is a prefix of another. */
const alikeIds = fc
  .tuple(
    fc.string({ unit: idCharacter, maxLength: 4 }),
    idCharacter,
    idCharacter,
    fc.string({ unit: idCharacter, maxLength: 3 }),
  )
  .map(([start, one, other, end]) => [...new Set([start + one + end, start + other + end, start + one + end + other])]);

const turns = fc.array(
  fc.oneof(
    fc.constant(['ask']),
    fc.subarray(['call 1', 'call 2', 'call 3', 'result 1', 'result 2', 'result 3'], { minLength: 1 }),
    fc.constant(['answer']),
  ),
  { maxLength: 30 },
);

const others: SessionCase[] = [
  {
    title: 'any JSON object comes back as from JSON.parse',
    when: anyItem,
    async run(harness) {
      await check(fc.array(anyObject, { minLength: 1, maxLength: 5 }), async (items) => {
        const session = harness.open();
        await session.addItems(items as JsonObject[]);
        assert.deepEqual(await session.getItems(), JSON.parse(JSON.stringify(items)));
      });
    },
  },
  {
    title: 'any similar ids are different sessions',
    when: anyId,
    async run(harness, capabilities) {
      const counts = new Map<string, number>();
      await check(alikeIds, async (ids) => {
        const sessions = ids.map((id) => harness.open(id));
        for (const [index, session] of sessions.entries()) {
          const id = ids[index] as string;
          await session.addItems([say(id)]);
          // Earlier runs may have written to the same id.
          counts.set(id, capabilities.shared ? (counts.get(id) ?? 0) + 1 : 1);
        }
        for (const [index, session] of sessions.entries()) {
          const id = ids[index] as string;
          assert.deepEqual(briefs(await session.getItems()), Array(counts.get(id)).fill(id));
        }
      });
    },
  },
  {
    title: 'any window of any history begins with a turn and has no call without its result',
    async run(harness) {
      await check(fc.tuple(turns, fc.integer({ min: 1, max: 12 })), async ([plan, maxItems]) => {
        const session = harness.open();
        const items = plan.flat().map((step, index) => toItem(step, index));
        await session.addItems(items);
        const window = await recentItems(session, { maxItems });
        const expected = await recentItems({ getItems: async (limit) => lastOf(items, limit) }, { maxItems });
        assert.deepEqual(briefs(window), briefs(expected));
        const ids = (type: string) => window.filter((item) => item.type === type).map((item) => item.callId);
        assert.deepEqual(new Set(ids('function_call')), new Set(ids('function_call_result')));
      });
    },
  },
  {
    title: 'any two sessions used alternately do not affect each other',
    async run(harness, capabilities) {
      await check(
        fc.tuple(commands(15, capabilities), commands(15, capabilities)),
        async ([one, other]) => {
          await Promise.all([follow([harness.open()], one), follow([harness.open()], other)]);
        },
        25,
      );
    },
  },
];

function toItem(step: string, index: number): JsonObject {
  const [kind, id] = step.split(' ');
  if (kind === 'ask') return say(`ask ${index}`);
  if (kind === 'answer') return answer(`answer ${index}`);
  return kind === 'call' ? call(`c-${id}`) : result(`c-${id}`);
}

function lastOf<T>(items: readonly T[], limit: number | undefined): T[] {
  return limit === undefined ? [...items] : items.slice(Math.max(0, items.length - limit));
}

export const generated: SessionCaseGroup = { concern: 'generated histories', cases: [...histories, ...others] };
