import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { localDirectory, WorkspaceMemory } from '../src/index.ts';
import { notes, scriptedModel, write } from './support/model.ts';
import { said } from './support/segments.ts';

const directory = useDirectory();

it('each of 60 days of one conversation can be found and opened', async () => {
  const workspace = localDirectory(directory.path);
  const model = scriptedModel({
    extraction: (_, day) => ({
      ...notes('a long task', ['fact']),
      rolloutSummary: `The codeword of day ${day} was codeword${day}. ${'More happened on that day. '.repeat(60)}`,
    }),
    consolidation: () => ({
      actions: [write('MEMORY.md', '- x [rollouts: a]'), write('memory_summary.md', '- x [rollouts: a]')],
      done: true,
    }),
  });
  for (let day = 1; day <= 60; day++) {
    const memory = new WorkspaceMemory({ workspace, model });
    await memory.run({ conversationId: 'a' }).append(said(`Day ${day}`));
    await memory.close();
  }
  const memory = new WorkspaceMemory({ workspace, generate: null });
  const [search, open] = (await memory.read()).tools;
  const path = 'rollout_summaries/a_a-task.md';
  for (const day of [1, 30, 31, 45, 60]) {
    const found = await search?.execute({ query: `codeword${day}` });
    const { passages } = found as { passages: { offset: number }[] };
    expect(passages[0], String(day)).toMatchObject({ path, text: expect.stringContaining(`codeword${day}.`) });
    const opened = await open?.execute({ path, offset: passages[0]?.offset ?? -1 });
    expect((opened as { text: string }).text).toMatch(new RegExp(`^The codeword of day ${day} was`));
  }
  let text = '';
  for (let offset = 0, parts = 0; parts < 10; parts++) {
    const part = (await open?.execute({ path, offset })) as { text: string; nextOffset?: number };
    text += part.text;
    if (part.nextOffset === undefined) break;
    offset = part.nextOffset;
  }
  expect(text).toBe((await workspace.read(`memories/${path}`))?.text);
  for (const offset of [-1, 1.5, '0'])
    await expect(open?.execute({ path, offset })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(await open?.execute({ path, offset: null })).toMatchObject({ found: true });
  await memory.close();
});
