import { join } from 'node:path';
import { talk, useDirectory } from '@keepsake/testing';
import type { ModelMessage } from 'ai';
import { expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs/talk.ts');
const directory = useDirectory();

it.each(['ends', 'killed', 'killed in a tool'])(
  'a model recalls in a second process what was said in the first (%s)',
  async (fate) => {
    const says = 'My sister Runa has moved to Tromsø.';
    expect(await talk<ModelMessage>(PROGRAM, directory.path, says, 'How nice.', fate)).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: says }] },
    ]);
    const [question, ...more] = await talk<ModelMessage>(
      PROGRAM,
      directory.path,
      'Where does Runa live now?',
      'In Tromsø.',
    );
    expect(more).toEqual([]);
    expect(question?.content).toMatchObject([
      { type: 'text', text: 'Where does Runa live now?' },
      { type: 'text', text: expect.stringContaining(says) },
    ]);
  },
);
