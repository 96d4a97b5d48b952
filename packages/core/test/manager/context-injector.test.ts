import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { type ContextInjectorOptions, contextInjector, type Message } from '../../src/index.ts';
import { memoryLogger } from '../support/memory-logger.ts';

const ask: Message = { role: 'user', content: 'What time is it?' };
const toolUse: Message = { role: 'assistant', content: [{ toolUse: { name: 't', toolUseId: '1', input: {} } }] };
const toolResult: Message = { role: 'user', content: [{ toolResult: { toolUseId: '1', content: [] } }] };

function counter() {
  let count = 0;
  return () => `<clock>${++count}</clock>`;
}

describe('contextInjector', () => {
  it('renders once per question of the user', async () => {
    const clock = contextInjector({ render: counter() });
    expect(await clock.inject([ask])).toEqual([{ role: 'user', content: 'What time is it?\n\n<clock>1</clock>' }]);
    expect(await clock.block([ask, toolUse, toolResult])).toBe('<clock>1</clock>');
    expect(await clock.block([ask, toolUse, { ...ask }])).toBe('<clock>2</clock>');
  });

  it('returns what it injects with its place, for other formats', async () => {
    const clock = contextInjector({ render: counter() });
    expect(await clock.blocks([ask, toolUse, toolResult])).toEqual([{ index: 0, text: '<clock>1</clock>' }]);
    expect(await clock.blocks([toolUse])).toEqual([]);
    const late = contextInjector({ render: counter(), trigger: 'everyTurn' });
    expect(await late.blocks([ask, toolUse, toolResult])).toEqual([{ index: 2, text: '<clock>1</clock>' }]);
  });

  it('shares nothing between conversations with the same words', async () => {
    const secret = contextInjector({ render: counter() });
    const [hers, his] = [{ ...ask }, { ...ask }];
    expect([await secret.block([hers]), await secret.block([his])]).toEqual(['<clock>1</clock>', '<clock>2</clock>']);
  });

  it('renders before each model call with everyTurn, or if a predicate says so', async () => {
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

  it('passes the messages to render, sync or async, and injects nothing for blank text', async () => {
    const render = async ({ messages }: { readonly messages: readonly Message[] }) => `${messages.length} so far`;
    expect(await contextInjector({ render }).block([ask])).toBe('1 so far');
    for (const nothing of [undefined, '', ' \n']) {
      expect(await contextInjector({ render: () => nothing }).inject([ask])).toEqual([ask]);
    }
  });

  it('aborts render at the deadline, and goes on without the text', async () => {
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
    expect(logger.lines).toEqual(['Nothing was injected into this model call (TIMEOUT).']);
  });

  it('refuses invalid options', () => {
    const render = () => 'x';
    for (const [options, message] of [
      [undefined, /must be an object/],
      [{}, /^`render` must be a function/],
      [{ render: 'x' }, /^`render` must be a function/],
      [{ render, trigger: 'foo' }, /^`trigger` must be 'userTurn'/],
      [{ render, deadlineMs: -5 }, /^`deadlineMs` must be a whole number/],
      [{ render, logger: {} }, /^`logger` must be an object with debug/],
      [{ render, deadline: 5 }, /^Unknown option `deadline`\. Did you mean `deadlineMs`\?$/],
    ] as [ContextInjectorOptions, RegExp][]) {
      expect(() => contextInjector(options)).toThrow(memoryError('INVALID_ARGUMENT', message));
    }
  });
});
