import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Guide } from './support/guide.ts';
import { Reader } from './support/reader.ts';

/* guides.test.ts follows the other sections and guides, at night. */

it('"Getting started" leads from a clone with nothing built to a program that knows in its second process', async () => {
  const start = new Guide('docs/getting-started.md');
  const reader = await Reader.open('core', 'file');
  try {
    const project = await reader.project('start');
    const [installation = '', use = ''] = start.blocks('sh', 'Remember and recall');
    await reader.shell(installation, project);
    writeFileSync(join(project, 'memory.ts'), start.blocks('ts', 'Remember and recall').join('\n'));
    expect(await reader.shellAll(use, project)).toEqual([
      'Alice lives in Lisbon since May.\n',
      'Alice lives in Lisbon since May.\n',
    ]);
    writeFileSync(join(project, 'agent.ts'), start.blocks('ts', 'Any model').join('\n'));
    const [agent = ''] = start.blocks('sh', 'Let an agent use it');
    expect((await reader.shellAll(agent, project))[1]).toMatch(/I read:.*Bolt/s);
    expect(await reader.shell('npm config get @keepsake:registry', project)).toContain('http://127.0.0.1:');
  } finally {
    await reader.leave();
  }
  // It installs the whole repository once.
}, 1_800_000);
