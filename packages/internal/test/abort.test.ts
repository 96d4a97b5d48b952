import { describe, expect, it } from 'vitest';
import { pause, untilAborted } from '../src/index.ts';

describe('untilAborted', () => {
  it('returns the result of the call', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(signal, () => 1)).toBe(1);
    expect(await untilAborted(signal, async () => 2)).toBe(2);
    const fail = () => {
      throw new Error('mine');
    };
    await expect(untilAborted(signal, fail)).rejects.toThrow('mine');
  });

  it('rejects with the reason as soon as the signal is aborted, even if the call never ends', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(controller.signal, () => new Promise(() => {}));
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('makes no call if the signal is already aborted', async () => {
    let calls = 0;
    await expect(untilAborted(AbortSignal.abort(new Error('early')), () => calls++)).rejects.toThrow('early');
    expect(calls).toBe(0);
  });
});

describe('pause', () => {
  it('waits for the given time', async () => {
    const start = performance.now();
    await pause(30, undefined);
    expect(performance.now() - start).toBeGreaterThanOrEqual(28);
  });

  it('ends as soon as the signal is aborted, or at once if it is already aborted', async () => {
    const controller = new AbortController();
    const start = performance.now();
    const pausing = pause(60_000, controller.signal);
    controller.abort();
    await pausing;
    await pause(60_000, controller.signal);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
