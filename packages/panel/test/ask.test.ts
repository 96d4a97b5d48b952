import { expect, it } from 'vitest';
import { type Answer, PATHS } from '../src/protocol.ts';
import { describeOnSomeBackends } from './support/describe-on-backends.ts';

describeOnSomeBackends(({ filled }) => {
  it('asks: the hits with explanations, and the block that a model would get', async () => {
    const { client } = await filled();
    const answer = await client.get<Answer>(PATHS.ask, { question: 'Which tea?', user: 'alice', agent: 'guide' });
    expect(answer.namespace).toBe('agent:guide:u:alice');
    const [best] = answer.hits;
    expect(best).toMatchObject({ rank: 1, id: 'tea', injected: true, explanation: expect.any(Object) });
    const { sum, factors } = best?.explanation ?? { sum: {}, factors: {} };
    const total = Object.values(sum).reduce((one, other) => one + other, 0);
    const score = Object.values(factors).reduce((one, other) => one * other, total);
    expect(score).toBeCloseTo(best?.score ?? 0, 6);
    expect(answer.block?.text).toContain('alice drinks green tea');
    expect(answer.block?.text).not.toContain('a* drinks');
    expect(answer.blockTokens).toBeGreaterThan(0);
    const nothing = await client.get<Answer>(PATHS.ask, { question: 'Which tea?', namespace: 'nobody' });
    expect(nothing).toMatchObject({ hits: [], blockTokens: 0 });
  });
});
