import { createInterface } from 'node:readline';
import type { MemoryEntry } from '@keepsake/core';
import { openAgent } from './agent.ts';
import { commandIn } from './commands.ts';
import { type EmbedderAddress, openEmbedder } from './embedder.ts';
import { fromMemory } from './from-memory.ts';
import { type ModelAddress, openAi } from './openai.ts';
import { Servant } from './servant.ts';
import { bold, dim, endPlainly, indented, when } from './terminal.ts';

export { modelAddress } from './openai.ts';

const PROMPT = bold('> ');

export interface ChatOptions {
  readonly directory: string;
  /** Shows what was recalled and what a model gets to see. */
  readonly showMemory?: boolean | undefined;
  /** Without one, it answers from memory alone. */
  readonly model?: ModelAddress | undefined;
  readonly embedder?: EmbedderAddress | undefined;
}

/**
 * Chats until the user exits or the input ends.
 *
 * @throws Error if there is no embedder at the address.
 */
export async function chat({ directory, showMemory = false, model, embedder: address }: ChatOptions): Promise<void> {
  endPlainly();
  const { stdin, stdout } = process;
  const mind = model ? openAi(model) : fromMemory;
  const embedder = address && (await openEmbedder(address));
  const agent = await openAgent(directory, mind, { ...(embedder && { embedder }) });
  const servant = new Servant(agent);
  const { latest } = agent;
  const known =
    latest === undefined ? 'It knows nothing yet' : `It knows what was said up to ${when(latest.updatedAt)}`;
  console.log(
    dim(`process ${process.pid} begins a conversation, answered by ${mind.name}. ${known}, in ${directory}.`),
  );
  if (stdin.isTTY) console.log(dim('Type "help" to see what you can say, and "exit" to end.'));

  const interrupted = new AbortController();
  const lines = createInterface({ input: stdin, ...(stdin.isTTY && { output: stdout }), prompt: PROMPT });
  let isOpen = true;
  lines.once('close', () => {
    isOpen = false;
  });
  const stop = () => {
    interrupted.abort();
    lines.close();
  };
  lines.once('SIGINT', stop);
  process.once('SIGINT', stop).once('SIGTERM', stop);

  if (stdin.isTTY) lines.prompt();
  for await (const line of lines) {
    if (interrupted.signal.aborted) break;
    if (!stdin.isTTY) console.log(PROMPT + line);
    if (commandIn(line)?.type === 'exit') break;
    if (line.trim() !== '') await turn(line.trim());
    if (stdin.isTTY && isOpen) lines.prompt();
  }
  lines.close();
  console.log(dim(`${stdin.isTTY ? '\n' : ''}process ${process.pid} ends here. All that was said is in ${directory}.`));

  async function turn(text: string): Promise<void> {
    try {
      const command = commandIn(text);
      const done = (await servant.heed(text)) ?? (command && (await servant.obey(command)));
      if (done !== undefined) return console.log(done);
      const { answer, recalled, injected } = await agent.reply(text, interrupted.signal);
      if (showMemory) printMemory(recalled, injected);
      console.log(answer);
    } catch (error) {
      if (interrupted.signal.aborted) return;
      console.error(`No answer: ${(error as Error).message}`);
      if (!stdin.isTTY) process.exitCode = 1;
    }
  }
}

function printMemory(recalled: readonly MemoryEntry[], injected = 'nothing'): void {
  const entries = recalled.map(
    ({ score = 0, createdAt, content }) => `${score.toFixed(1)}  ${when(createdAt)}  ${content}`,
  );
  console.log(dim(`recalled:\n${indented(entries.join('\n') || 'nothing')}\ninjected:\n${indented(injected)}`));
}
