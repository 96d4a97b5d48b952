import { useDirectory } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { FORMS } from '../../privacy/test/redaction/forms.ts';
import { TOKENS } from '../../privacy/test/redaction/tokens.ts';
import { localDirectory, WorkspaceMemory } from '../src/index.ts';
import { notes, scriptedModel } from './support/model.ts';

const directory = useDirectory();

const SECRETS: readonly { readonly text: string; readonly secrets: readonly string[] }[] = [
  ...FORMS,
  // What says which service it is may stay: the host of a webhook, the name of a header.
  ...TOKENS.map(([, token]) => ({
    text: `Use ${token}, and then go on.`,
    secrets: [token.replace(/^(?:https:\/\/[a-z.]+\/|[A-Za-z-]+[:=]\s?(?=\S{30}))/, '')],
  })),
];

/** Whether 12 characters in a row of a secret are left, or all of a shorter one. */
function leaks(text: string, secret: string): boolean {
  const starts = Array.from({ length: Math.max(1, Math.ceil((secret.length - 11) / 4)) }, (_, n) => n * 4);
  return starts.some((start) => text.includes(secret.slice(start, start + 12)));
}

it('turns full of secrets leave none of them in files, prompts or instructions', async () => {
  const workspace = localDirectory(directory.path);
  // A model that notes what nobody may see, even if it has got it elsewhere.
  const model = scriptedModel({
    extraction: (_, call) =>
      notes(
        'a task',
        SECRETS.slice(call * 5, call * 5 + 5).map(({ text }) => text),
        `task-${call}`,
      ),
  });
  const memory = new WorkspaceMemory({ workspace, model });
  for (let turn = 0; turn < rounds(300, 100); turn++) {
    const [asked, shown, said] = [0, 100, 200].map((by) => SECRETS[(turn + by) % SECRETS.length]?.text ?? '');
    await memory.run({ conversationId: `conversation-${turn % 30}` }).append({
      input: [{ role: 'user', content: [{ type: 'input_text', text: `Look:\n${asked}` }] }],
      generatedItems: [
        { type: 'function_call', name: 'shell', arguments: JSON.stringify({ command: shown }) },
        { type: 'function_call_result', output: JSON.stringify({ stdout: `\n${said}\n` }) },
        { role: 'assistant', content: `I have seen it:\n${shown}` },
      ],
      terminal: { state: 'failed', exceptionMessage: said ?? '', hasFinalOutput: true },
      finalOutput: { answer: asked },
    });
  }
  const report = await memory.generate();
  expect(report.extracted).toHaveLength(30);
  const update = memory.tools()[2];
  for (const { text } of SECRETS.slice(0, 30)) await update?.execute({ stale: '', now: text });
  const { instructions } = await memory.read();
  await memory.close();

  const texts = new Map(model.asked.map(({ prompt }, n) => [`prompt ${n}`, prompt]));
  texts.set('instructions', instructions);
  for (const path of await workspace.list('')) texts.set(path, `${path}\n${(await workspace.read(path))?.text}`);
  expect(texts.size).toBeGreaterThan(120);
  const left: string[] = [];
  for (const secret of new Set(SECRETS.flatMap(({ secrets }) => secrets)))
    for (const [name, text] of texts) if (leaks(text, secret)) left.push(`${name}: ${secret.slice(0, 40)}`);
  expect(left).toEqual([]);
});
