import { join } from 'node:path';
import { inOtherProcesses, useDirectory } from '@keepsake/testing';
import { localDirectory } from '@keepsake/workspace';
import { expect, it } from 'vitest';
import { KeepsakeMemoryTool } from '../src/index.ts';

const PROGRAM = join(import.meta.dirname, 'programs/race.ts');
const ROUNDS = 50;
const directory = useDirectory();

it('of two processes that rename to the same path one succeeds, and no file and no edit is lost', {
  timeout: 60_000,
}, async () => {
  const workspace = localDirectory(directory.path);
  const tool = new KeepsakeMemoryTool({ workspace });
  await tool.create({ path: '/memories/log.md', file_text: '' });
  for (let round = 0; round < ROUNDS; round++) {
    for (const me of ['a', 'b']) await tool.create({ path: `/memories/${me}-${round}`, file_text: `${me} ${round}` });
  }
  const jobs = ['a', 'b'].map((me) => JSON.stringify({ directory: directory.path, me, rounds: ROUNDS }));
  const [ofA = [], ofB = []] = await inOtherProcesses(PROGRAM, jobs);

  for (let round = 0; round < ROUNDS; round++) {
    const won = [ofA[round], ofB[round]].map((result) => result?.startsWith('Successfully renamed'));
    expect([ofA[round], ofB[round]]).toContain(`The destination /memories/target-${round} already exists`);
    const [winner, loser] = won[0] ? ['a', 'b'] : ['b', 'a'];
    expect(won.filter(Boolean)).toHaveLength(1);
    expect((await workspace.read(`memories/target-${round}`))?.text).toBe(`${winner} ${round}`);
    expect((await workspace.read(`memories/${loser}-${round}`))?.text).toBe(`${loser} ${round}`);
    expect(await workspace.read(`memories/${winner}-${round}`)).toBeUndefined();
  }
  const log = (await workspace.read('memories/log.md'))?.text.trim().split('\n') ?? [];
  const all = ['a', 'b'].flatMap((me) => Array.from({ length: ROUNDS }, (_, round) => `${me} ${round}`));
  expect(log.sort()).toEqual(all.sort());
});
