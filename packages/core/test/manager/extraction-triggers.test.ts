import { memoryError } from '@keepsake/testing/memory-error';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type ExtractionTrigger,
  type ExtractionTriggerContext,
  IdleTrigger,
  IntervalTrigger,
  InvocationTrigger,
} from '../../src/index.ts';
import { failureReporter } from '../../src/manager/search/failures.ts';
import { assistant, extractionOf, MessageStore, user } from './support/extraction.ts';

/** Runs everything that needs no timer. */
const settle = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

async function turnsUntilSaved(extraction: boolean | object, turns: number): Promise<number[]> {
  const store = new MessageStore('facts', extraction);
  const { extraction: manager } = extractionOf({ stores: [store] });
  const chat = manager.conversation('chat');
  const saves: number[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    const before = store.calls.length;
    chat.observe([user(`question ${turn}`), assistant(`answer ${turn}`)]);
    await chat.endTurn();
    await settle();
    if (store.calls.length > before) saves.push(turn);
  }
  return saves;
}

describe('triggers', () => {
  it('fire after every turn by default where no model is called', async () => {
    expect(await turnsUntilSaved(true, 3)).toEqual([1, 2, 3]);
    expect(await turnsUntilSaved({}, 3)).toEqual([1, 2, 3]);
  });

  it('fire after each turn, or after an interval of turns', async () => {
    expect(await turnsUntilSaved({ trigger: new InvocationTrigger() }, 3)).toEqual([1, 2, 3]);
    expect(await turnsUntilSaved({ trigger: new IntervalTrigger({ turns: 2 }) }, 5)).toEqual([2, 4]);
  });

  it('fire independently of each other', async () => {
    const trigger = [new IntervalTrigger({ turns: 2 }), new IntervalTrigger({ turns: 3 })];
    expect(await turnsUntilSaved({ trigger }, 6)).toEqual([2, 3, 4, 6]);
  });

  it('count the turns of each conversation separately, even with similar ids', async () => {
    const store = new MessageStore('facts', { trigger: new IntervalTrigger({ turns: 2 }) });
    const { extraction } = extractionOf({ stores: [store] });
    for (const id of ['a*', 'a:b', '../a', 'a*', 'a']) {
      extraction.conversation(id).observe([user(id)]);
      await extraction.conversation(id).endTurn();
    }
    await settle();
    expect(store.calls.map(({ texts, context }) => [context?.thread, texts])).toEqual([['a*', ['a*', 'a*']]]);
  });

  it('do not count failed turns, whose messages are saved with the next turn', async () => {
    const store = new MessageStore('facts', { trigger: new IntervalTrigger({ turns: 2 }) });
    const { extraction } = extractionOf({ stores: [store] });
    const chat = extraction.conversation('chat');
    for (const failed of [false, true, true]) {
      chat.observe([user(`failed: ${failed}`)]);
      await chat.endTurn({ failed });
    }
    await settle();
    expect(store.calls).toEqual([]);
    await chat.endTurn();
    await settle();
    expect(store.texts).toEqual(['failed: false', 'failed: true', 'failed: true']);
  });

  it.each([0, -1, 1.5, Number.NaN, '5', undefined])('refuse %s as a number of turns or milliseconds', (number) => {
    const refused = memoryError('INVALID_ARGUMENT', /must be a whole number/);
    expect(() => new IntervalTrigger({ turns: number as number })).toThrow(refused);
    expect(() => new IdleTrigger({ idleMs: number as number })).toThrow(refused);
  });

  it('refuse an idle time that timers do not support', () => {
    expect(() => new IdleTrigger({ idleMs: 2 ** 31 })).toThrow(memoryError('INVALID_ARGUMENT', /idleMs/));
  });

  describe('custom triggers', () => {
    it('observe messages and turns, and fire at any time; without new messages, nothing is saved', async () => {
      let context: ExtractionTriggerContext | undefined;
      const heard: unknown[] = [];
      const trigger: ExtractionTrigger = {
        name: 'by hand',
        attach(given) {
          context = given;
          given.conversation.onMessages((messages) => heard.push(messages.map(({ content }) => content)));
          given.conversation.onEndTurn((turn) => heard.push(turn));
        },
      };
      const store = new MessageStore('facts', { trigger });
      const { extraction } = extractionOf({ stores: [store] });
      const chat = extraction.conversation('chat');
      chat.observe([user('one'), assistant('two')]);
      await chat.endTurn();
      await chat.endTurn({ failed: true });
      chat.observe([user('three')]);
      await chat.endTurn();
      expect(context?.conversation.id).toBe('chat');
      expect(heard).toEqual([['one', 'two'], 1, ['three'], 2]);
      expect(store.calls).toEqual([]);
      expect(context?.fire()).toBe(undefined);
      expect(store.calls).toEqual([]);
      await settle();
      expect(store.texts).toEqual(['one', 'two', 'three']);
      context?.fire();
      await settle();
      expect(store.calls).toHaveLength(1);
    });

    it('are reported if they throw, and the conversation goes on', async () => {
      const throwing = () => {
        throw new Error('no');
      };
      const trigger = [
        { name: 'at once', attach: throwing },
        {
          name: 'later',
          attach({ conversation }: ExtractionTriggerContext) {
            conversation.onMessages(throwing);
            conversation.onEndTurn(throwing);
          },
        },
        new InvocationTrigger(),
      ];
      const store = new MessageStore('facts', { trigger });
      const { extraction, reports } = extractionOf({ stores: [store] });
      const chat = extraction.conversation('chat');
      chat.observe([user('one')]);
      await chat.endTurn();
      await settle();
      expect(store.texts).toEqual(['one']);
      expect(reports).toHaveLength(3);
      expect(reports[0]).toMatchObject({ storeName: 'facts', operation: 'extract', error: { message: 'no' } });
    });

    it('can fire without an error even if the store, the logger and onStoreError throw', async () => {
      const store = new MessageStore('facts', { trigger: new InvocationTrigger() });
      store.before = () => {
        throw new Error('down');
      };
      const fails = vi.fn(() => {
        throw new Error('no');
      });
      const report = failureReporter({ debug: fails, info: fails, warn: fails, error: fails }, fails);
      const { extraction } = extractionOf({ stores: [store], report });
      const chat = extraction.conversation('chat');
      chat.observe([user('one')]);
      await chat.endTurn();
      await settle();
      expect(fails).toHaveBeenCalledTimes(2);
      expect(await extraction.flush()).toEqual({ facts: { saved: 0, failed: 1 } });
    });
  });
});

describe('the idle trigger', () => {
  afterEach(() => vi.useRealTimers());

  it('fires once after the idle time', async () => {
    vi.useFakeTimers();
    const store = new MessageStore('facts', { trigger: new IdleTrigger({ idleMs: 1_000 }) });
    const { extraction } = extractionOf({ stores: [store] });
    const chat = extraction.conversation('chat');
    chat.observe([user('one')]);
    await vi.advanceTimersByTimeAsync(999);
    chat.observe([assistant('two')]);
    await vi.advanceTimersByTimeAsync(999);
    expect(store.texts).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(store.texts).toEqual(['one', 'two']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.calls).toHaveLength(1);
  });

  it('does not keep the process alive', () => {
    const unref = vi.spyOn(Object.getPrototypeOf(setTimeout(() => {}, 0)), 'unref');
    const store = new MessageStore('facts', { trigger: new IdleTrigger({ idleMs: 100_000 }) });
    const { extraction } = extractionOf({ stores: [store] });
    extraction.conversation('chat').observe([user('one')]);
    expect(unref).toHaveBeenCalled();
    unref.mockRestore();
  });
});
