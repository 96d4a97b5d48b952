import { join } from 'node:path';
import { talk, useDirectory } from '@keepsake/testing';
import type { MessageData } from '@strands-agents/sdk';
import { expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs/talk.ts');
const directory = useDirectory();

it.each(['ends', 'killed', 'killed in a tool'])(
  'an agent recalls in a second process what was said in the first (%s)',
  async (fate) => {
    expect(
      await talk<MessageData>(PROGRAM, directory.path, 'My sister Runa has moved to Tromsø.', 'How nice.', fate),
    ).toHaveLength(1);
    const [question, ...more] = await talk<MessageData>(
      PROGRAM,
      directory.path,
      'Where does Runa live now?',
      'In Tromsø.',
    );
    expect(more).toEqual([]);
    expect(question?.content[0]).toEqual({ text: 'Where does Runa live now?' });
    expect(JSON.stringify(question?.content[1])).toContain('My sister Runa has moved to Tromsø.');
  },
);
