import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { type Workspace, WorkspaceMemory } from '../src/index.ts';
import { scriptedModel, write } from './support/model.ts';
import { PLACES } from './support/places.ts';
import { said } from './support/segments.ts';

/* Parts of generated files that must disappear with a forgotten conversation. */

const directory = useDirectory();
const SUMMARY = 'rollout_summaries/a_a-task.md';
const textOf = async (workspace: Workspace, path: string) => (await workspace.read(path))?.text ?? '';

describe.each(PLACES)('forgetting a conversation in %s', (_, openIn) => {
  const forget = async (memoryText: string, skill = 'Do it.') => {
    const workspace = openIn(directory.path);
    const model = scriptedModel({
      consolidation: () => ({
        actions: [
          write('MEMORY.md', memoryText),
          write('memory_summary.md', '## Index\n- Both [rollouts: a, b]\n'),
          write('skills/of-both/SKILL.md', `---\nname: of-both\ndescription: d\nrollouts: b, a\n---\n${skill}\n`),
        ],
        done: true,
      }),
    });
    const memory = new WorkspaceMemory({ workspace, model, generate: { maxTurns: 2 } });
    for (const id of ['a', 'b']) await memory.run({ conversationId: id }).append(said(`Said in ${id}`));
    const { consolidationError } = await memory.generate();
    expect(consolidationError).toBeUndefined();
    expect(await memory.forget('a')).toBe(true);
    await memory.close();
    return workspace;
  };

  it('removes nested bullets that are based on it alone', async () => {
    const workspace = await forget(
      '# Task group: x\n- Of both [rollouts: a, b]\n  - Only a knows [rollouts: a]\n  - Only b knows [rollouts: b]\n',
    );
    expect(await textOf(workspace, 'memories/MEMORY.md')).toBe(
      '# Task group: x\n- Of both [rollouts: b]\n  - Only b knows [rollouts: b]\n',
    );
  });

  it('removes links to it from bullets and skills that are based on others too', async () => {
    const workspace = await forget(
      `# Task group: x\n- Of both, see ${SUMMARY} and rollout_summaries/b_a-task.md [rollouts: a, b]\n`,
      `See [the summary](${SUMMARY}), ${SUMMARY}.`,
    );
    expect(await textOf(workspace, 'memories/MEMORY.md')).toBe(
      '# Task group: x\n- Of both, see (forgotten) and rollout_summaries/b_a-task.md [rollouts: b]\n',
    );
    expect(await textOf(workspace, 'memories/skills/of-both/SKILL.md')).not.toContain('a_a-task');
  });

  it('removes its id where a conversation that is no longer selected is noted', async () => {
    const workspace = openIn(directory.path);
    const generate = { maxRawMemoriesForConsolidation: 1 };
    const memory = new WorkspaceMemory({ workspace, model: scriptedModel(), generate });
    for (const id of ['a', 'b']) await memory.run({ conversationId: id }).append(said(`Said in ${id}`));
    await memory.generate();
    const removed = async () => JSON.parse(await textOf(workspace, 'memories/phase_two_selection.json')).removed;
    const [{ id }] = await removed();
    expect(await memory.forget(id)).toBe(true);
    expect(await removed()).toEqual([]);
    await memory.close();
  });
});
