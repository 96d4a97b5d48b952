import type { DurableSession } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { SEED } from '@keepsake/testing/torture/seed';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../outcome-of.ts';

const RUNS = rounds(1000);
const COMMANDS = 50;

interface Item extends Record<string, string> {
  readonly text: string;
}
type Command =
  | { readonly do: 'append'; readonly items: Item[] }
  | { readonly do: 'pop' | 'clear' }
  | { readonly do: 'read'; readonly limit: number }
  | {
      readonly do: 'replace suffix';
      readonly id: string;
      /** The number of newest items that are expected; wrong ones if `wrong` is set. */
      readonly suffix: number;
      readonly wrong: boolean;
      readonly items: Item[];
    };

// Few different items, so that commands often affect those of earlier commands.
const item = fc.constantFrom('a', 'ä', '💡\n', 'b'.repeat(300)).map((text): Item => ({ text }));
const items = fc.array(item, { maxLength: 4 });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('append' as const), items }) },
  { weight: 4, arbitrary: fc.constant({ do: 'pop' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), limit: fc.integer({ min: -1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'clear' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('replace suffix' as const),
      id: fc.constantFrom('one', 'two', 'three', 'four', 'five'),
      suffix: fc.nat(4),
      wrong: fc.boolean(),
      items,
    }),
  },
);

/** A minimal model of the session contract. Returns the result of a call or the code of its error. */
class Model {
  items: Item[] = [];
  readonly #operations = new Map<string, string>();

  apply(command: Command): unknown {
    switch (command.do) {
      case 'append':
        this.items = [...this.items, ...command.items];
        return undefined;
      case 'pop':
        return this.items.pop();
      case 'read':
        return command.limit <= 0 ? [] : this.items.slice(-command.limit);
      case 'clear':
        this.items = [];
        this.#operations.clear();
        return undefined;
      case 'replace suffix':
        return this.#replace(command.id, this.suffixOf(command), command.items);
    }
  }

  suffixOf({ suffix, wrong }: Extract<Command, { do: 'replace suffix' }>): Item[] {
    const newest = suffix === 0 ? [] : this.items.slice(-suffix);
    return wrong ? [...newest.slice(1), { text: 'never there' }] : newest;
  }

  #replace(id: string, suffix: Item[], replacement: Item[]): unknown {
    const content = JSON.stringify([suffix, replacement]);
    const known = this.#operations.get(id);
    if (known !== undefined) return known === content ? undefined : 'CONFLICT';
    if (suffix.some(({ text }) => text === 'never there')) return 'CONFLICT';
    this.items = [...this.items.slice(0, this.items.length - suffix.length), ...replacement];
    this.#operations.set(id, content);
    return undefined;
  }
}

async function perform(session: DurableSession<Item>, command: Command, model: Model): Promise<unknown> {
  switch (command.do) {
    case 'append':
      return session.addItems(command.items);
    case 'pop':
      return session.popItem();
    case 'read':
      return session.getItems(command.limit);
    case 'clear':
      return session.clearSession();
    case 'replace suffix':
      return session.applyHistoryTransaction({
        operationId: command.id,
        transaction: {
          type: 'replace_suffix',
          expectedSuffix: model.suffixOf(command),
          replacement: command.items,
        },
      });
  }
}

/**
 * Compares generated histories of commands, through alternating instances, with a plain array.
 *
 * @param open - Opens an instance of the session with that id.
 */
export function describeSessionHistories(where: string, open: (sessionId: string) => DurableSession<Item>): void {
  describe.concurrent(`generated histories of a session ${where}`, () => {
    it(`${RUNS} of ${COMMANDS} commands have the same results as a plain array`, async (context) => {
      let runs = 0;
      const history = fc.array(command, { minLength: COMMANDS, maxLength: COMMANDS });
      const oneHistory = fc.asyncProperty(history, async (commands) => {
        const sessionId = `history ${runs++}`;
        const sessions = [open(sessionId), open(sessionId)] as const;
        const model = new Model();
        for (const [n, command] of commands.entries()) {
          const outcome = await outcomeOf(perform(sessions[n % 2 === 0 ? 0 : 1], command, model));
          expect(outcome).toEqual(model.apply(command));
        }
        for (const session of [...sessions, open(sessionId)]) expect(await session.getItems()).toEqual(model.items);
      });
      await fc.assert(oneHistory, { numRuns: RUNS, seed: SEED });
      expect(runs).toBe(RUNS);
      show(
        context,
        3,
        `sessions ${where}: ${count(RUNS)} generated histories x ${COMMANDS} commands (append, pop, clear, replace-suffix, reads) through 2 instances: equal to the model`,
      );
    });
  });
}
