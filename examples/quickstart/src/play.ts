import { run } from './run.ts';

const TOLD = ['I have moved from Berlin to Lisbon.', 'I left my bike behind the bakery in Rua da Rosa.'];
const ASKED = ['Where did I leave my bike?', 'What is the name of my dog?'];

/** Plays a conversation where there is nobody to have one with: told to one process, asked of another, with no model. */
export function play(args: readonly string[]): void {
  delete process.env.OPENAI_API_KEY;
  for (const lines of [TOLD, ASKED]) run('main.ts', args, lines.join('\n'));
}
