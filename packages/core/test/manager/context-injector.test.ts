import { describe, expect, it } from 'vitest';
import { type ContextInjectorOptions, contextInjector, type Message } from '../../src/index.ts';
import { memoryError } from '../support/memory-error.ts';
import { memoryLogger } from '../support/memory-logger.ts';

const ask: Message = { role: 'user', content: 'What time is it?' };
const toolUse: Message = { role: 'assistant', content: [{ toolUse: { name: 't', toolUseId: '1', input: {} } }] };
const toolResult: Message = { role: 'user', content: [{ toolResult: { toolUseId: '1', content: [] } }] };

function counter() {
  let count = 0;
  return () => `<clock>${++count}</clock>`;
}

describe('contextInjector', () => {
  it('folds a text in once for each time that the user asks', async () => {
    const clock = contextInjector({ render: counter() });
    expect(await clock.inject([ask])).toEqual([{ role: 'user', content: 'What time is it?\n\n<clock>1</clock>' }]);
    expect(await clock.block([ask, toolUse, toolResult])).toBe('<clock>1</clock>');
    expect(await clock.block([ask, toolUse, { ...ask }])).toBe('<clock>2</clock>');
  });

  it('shares nothing among conversations that say the same', async () => {
    const secret = contextInjector({ render: counter() });
    const [hers, his] = [{ ...ask }, { ...ask }];
    expect([await secret.block([hers]), await secret.block([his])]).toEqual(['<clock>1</clock>', '<clock>2</clock>']);
  });

  it('renders before each call for everyTurn, and for what a predicate says', async () => {
    const clock = contextInjector({ render: counter(), trigger: 'everyTurn' });
    await clock.block([ask]);
    expect(await clock.inject([ask, toolUse, toolResult])).toEqual([
      ask,
      toolUse,
      { role: 'user', content: [{ toolResult: { toolUseId: '1', content: [] } }, { text: '<clock>2</clock>' }] },
    ]);
    const late = contextInjector({ render: counter(), trigger: ({ messages }) => messages.length > 2 });
    expect(await late.block([ask])).toBeUndefined();
    expect(await late.block([ask, toolUse, toolResult])).toBe('<clock>1</clock>');
  });

  it('renders with the messages, sync or async, and nothing for nothing', async () => {
    const render = async ({ messages }: { readonly messages: readonly Message[] }) => `${messages.length} so far`;
    expect(await contextInjector({ render }).block([ask])).toBe('1 so far');
    for (const nothing of [undefined, '', ' \n']) {
      expect(await contextInjector({ render: () => nothing }).inject([ask])).toEqual([ask]);
    }
  });

  it('is told when nobody waits any more, and goes on without it', async () => {
    const logger = memoryLogger();
    let told: AbortSignal | undefined;
    const slow = contextInjector({
      deadlineMs: 10,
      logger,
      render: ({ signal }) => {
        told = signal;
        return new Promise(() => {});
      },
    });
    expect(await slow.inject([ask])).toEqual([ask]);
    expect(told?.aborted).toBe(true);
    expect(logger.lines).toEqual(['Nothing was injected into this call of the model (TIMEOUT).']);
  });

  it('refuses options that can’t work', () => {
    const render = () => 'x';
    for (const [options, message] of [
      [undefined, /is to be an object/],
      [{}, /^render is to be a function/],
      [{ render: 'x' }, /^render is to be a function/],
      [{ render, trigger: 'foo' }, /^trigger is to be 'userTurn'/],
      [{ render, deadlineMs: -5 }, /^deadlineMs is to be a whole number/],
      [{ render, logger: {} }, /^logger is to be an object with debug/],
      [{ render, deadline: 5 }, /no option "deadline"\. There are: render/],
    ] as [ContextInjectorOptions, RegExp][]) {
      expect(() => contextInjector(options)).toThrow(memoryError('INVALID_ARGUMENT', message));
    }
  });
});
