import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { setup } from './harness.ts';

it('a program that uses the default clients exits when it is done', async () => {
  const { emulator } = await setup();
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL_BEDROCK_AGENT: emulator.url,
    AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME: emulator.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'emulator',
    AWS_SECRET_ACCESS_KEY: 'emulator',
  };
  const program = join(import.meta.dirname, 'programs/add-and-find.ts');
  const node = ['--conditions=@keepsake/source', program];
  const { stdout } = await promisify(execFile)(process.execPath, node, { env, timeout: 50_000 });
  expect(stdout).toBe('Likes tea\n');
});
