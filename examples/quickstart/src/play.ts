import { run } from './run.ts';

const TOLD = ['I have moved from Berlin to Lisbon.', 'I left my bike behind the bakery in Rua da Rosa.'];
const ASKED = ['Where did I leave my bike?', 'What is the name of my dog?'];

/** Plays the built-in conversation without a model: one process is told facts, another is asked about them. */
export function play(args: readonly string[]): void {
  delete process.env.OPENAI_API_KEY;
  for (const lines of [TOLD, ASKED]) run('main.ts', args, lines.join('\n'));
}
