import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { expect, it } from 'vitest';

it('the command starts an emulator and prints how to reach it', async () => {
  const main = fileURLToPath(new URL('../src/openai/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@keepsake/source', main, '--key', 'sk-mine'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const [, baseURL, apiKey] = /^OPENAI_BASE_URL=(\S+) OPENAI_API_KEY=(\S+)\n$/.exec(line.toString()) ?? [];
    expect(apiKey).toBe('sk-mine');
    const client = new OpenAI({ baseURL: baseURL ?? '', apiKey: apiKey ?? '' });
    expect((await client.responses.create({ model: 'gpt-5-mini', input: 'Hi' })).output_text).toBe('You said: Hi');
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});
