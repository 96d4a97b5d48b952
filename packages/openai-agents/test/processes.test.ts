import { join } from 'node:path';
import { talk, useDirectory } from '@keepsake/testing';
import type { AgentInputItem } from '@openai/agents';
import { expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs/talk.ts');
const directory = useDirectory();

it.each(['ends', 'killed', 'killed in a tool'])(
  'an agent recalls in a second process what was said in the first (%s)',
  async (fate) => {
    const says = 'My sister Runa has moved to Tromsø.';
    expect(await talk<AgentInputItem>(PROGRAM, directory.path, says, 'How nice.', fate)).toMatchObject([
      { role: 'user', content: says },
    ]);
    expect(
      await talk<AgentInputItem>(PROGRAM, directory.path, 'Where does Runa live now?', 'In Tromsø.'),
    ).toMatchObject([
      { role: 'user', content: 'Where does Runa live now?' },
      { role: 'user', content: expect.stringContaining(says) },
    ]);
  },
);
