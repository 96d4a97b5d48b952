import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';

const program = join(import.meta.dirname, '../programs/end.ts');

async function run(options: object) {
  const { status, stdout, stderr } = await runProgram(program, [JSON.stringify(options)]);
  const warnings = stderr.split('\n').filter((line) => line.includes('lost'));
  return { status, warnings, ...(JSON.parse(stdout) as { flushes: number; calls: number }) };
}

describe.concurrent('a program that ends', () => {
  it('is warned once of a forgotten flush, with a count', async () => {
    const { status, warnings } = await run({ end: 'forgotten' });
    expect(status).toBe(0);
    expect(warnings).toEqual([expect.stringMatching(/^1 message is lost,.*`await memory\.flush\(\)`.*`outbox`/)]);
  });

  it('is warned once for hundreds of managers', async () => {
    const { warnings } = await run({ end: 'forgotten', managers: 300 });
    expect(warnings).toEqual([expect.stringMatching(/^300 messages are lost,/)]);
  });

  const savesEverything = async (end: string) => {
    expect(await run({ end, managers: 2 })).toMatchObject({ status: 0, warnings: [], calls: 2 });
  };
  const saved = 'is not warned if everything is saved: %s';

  it.each(['flush', 'early'])(saved, savesEverything);

  it.each(['recipe', 'later'])(saved, { tags: ['nightly'] }, savesEverything);

  it('is not warned of messages in an outbox', async () => {
    expect(await run({ end: 'forgotten', outbox: true })).toMatchObject({ status: 0, warnings: [] });
  });

  const endsAfterFailedFlush = async (store: string, end: string) => {
    const ended = await run({ end, store });
    expect(ended).toMatchObject({ status: 0, warnings: [expect.stringMatching(/^1 message is lost/)], calls: 1 });
    // Each round of beforeExit flushes. The second one starts no new work.
    expect(ended.flushes).toBeLessThanOrEqual(3);
  };
  const failed = 'ends after a failed flush in a listener of beforeExit, with one warning: store %s, %s';

  it.each([
    ['down', 'recipe'],
    ['slow', 'later'],
  ])(failed, endsAfterFailedFlush);

  it.each([
    ['down', 'early'],
    ['down', 'later'],
    ['slow', 'recipe'],
    ['slow', 'early'],
  ])(failed, { tags: ['nightly'] }, endsAfterFailedFlush);

  it('is warned if it exits or fails without a flush', async () => {
    for (const end of ['exit', 'throw']) {
      const { warnings } = await run({ end, managers: 2 });
      expect(warnings).toEqual([expect.stringMatching(/^2 messages are lost,/)]);
    }
  });

  it('is warned of messages that a flush could not save', async () => {
    const ended = await run({ end: 'flush', store: 'down' });
    // It was called, so it is not the advice.
    const warning = /^1 message is lost, because saving it failed: \(Error\)\. With an `outbox`(?!.*flush)/;
    expect(ended).toMatchObject({ status: 0, warnings: [expect.stringMatching(warning)] });
  });

  it('is warned with what the store says of its failure, and not of a failure that has passed', async () => {
    const refusing = await run({ end: 'flush', store: 'refuses', managers: 2 });
    expect(refusing.warnings).toEqual([
      expect.stringMatching(
        /^2 messages are lost, because saving them failed: \(BACKEND, ECONNREFUSED\)\. Start it\. With/,
      ),
    ]);
    const besides = await run({ end: 'flush', store: 'refuses', other: 'works' });
    expect(besides.warnings).toEqual([
      expect.stringMatching(/^1 message is lost, because saving it failed: .*Start it/),
    ]);
    const recovered = await run({ end: 'again', store: 'recovers' });
    expect(recovered.warnings).toEqual([
      expect.stringMatching(
        /^1 message is lost, because the program ends without saving it\. Call `await memory\.flush/,
      ),
    ]);
  });
});

it('forgotten managers with unsaved messages are collected', async () => {
  const { stdout } = await runProgram(join(import.meta.dirname, '../programs/collected.ts'));
  const { alive, listeners } = JSON.parse(stdout) as { alive: number; listeners: number };
  expect(alive).toBeLessThan(10);
  expect(listeners).toBeLessThan(5);
});
