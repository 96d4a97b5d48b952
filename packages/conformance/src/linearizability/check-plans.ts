import assert from 'node:assert/strict';
import fc from 'fast-check';

interface PlanOptions {
  readonly count: number;
  readonly seed?: number | undefined;
  readonly timeLimitMs?: number | undefined;
}

/** Runs generated plans until one fails. Makes no smaller example: the calls of a plan meet in another way each time. */
export async function checkPlans<Plan>(
  plans: fc.Arbitrary<Plan>,
  { count, seed = newSeed(), timeLimitMs = Number.POSITIVE_INFINITY }: PlanOptions,
  check: (plan: Plan, index: number) => Promise<void>,
): Promise<void> {
  const end = Date.now() + timeLimitMs;
  for (const [index, plan] of fc.sample(plans, { numRuns: count, seed }).entries()) {
    if (Date.now() > end) return;
    try {
      await check(plan, index);
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) throw error;
      assert.fail(`${error.message}\nHistory ${index + 1} of ${count} with the seed ${seed}.`);
    }
  }
}

function newSeed(): number {
  return fc.readConfigureGlobal()?.seed ?? Math.floor(Math.random() * 2 ** 31);
}
