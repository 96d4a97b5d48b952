import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAnthropic } from '@keepsake/emulators';
import { expect, it, onTestFinished } from 'vitest';
import { Guide } from '../support/guide.ts';
import { Reader } from '../support/reader.ts';

it('"Getting started" leads to an agent of the Claude Agent SDK that continues its session in another process', async () => {
  const guide = new Guide('docs/getting-started.md');
  const reader = await Reader.open();
  onTestFinished(() => reader.leave());
  const emulator = await startAnthropic((messages) => `I read: ${JSON.stringify(messages)}`);
  onTestFinished(() => emulator.stop());
  const project = await reader.project('claude');
  Object.assign(reader.environment, {
    ANTHROPIC_API_KEY: emulator.apiKey,
    ANTHROPIC_BASE_URL: emulator.url,
    // Not the settings and sessions of whoever runs the test.
    CLAUDE_CONFIG_DIR: join(project, 'config'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  });
  const [, more = ''] = /`(@keepsake\/\S+ \S+)`/.exec(guide.row('Claude Agent SDK')) ?? [];
  await reader.shell(`npm install @keepsake/core @keepsake/file ${more}`, project);
  writeFileSync(join(project, 'agent.ts'), guide.blocks('ts', 'Claude').join('\n'));
  const [use = ''] = guide.blocks('sh', 'Claude');
  const [tell = '', ask = ''] = use.trim().split('\n');
  const [, id = ''] = /^(\S+) I read: .*Bolt/s.exec(await reader.shell(tell, project)) ?? [];
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(await reader.shell(ask.replace('SESSION_ID', id), project)).toMatch(/I read: .*Bolt.*What is my dog called/s);
});
