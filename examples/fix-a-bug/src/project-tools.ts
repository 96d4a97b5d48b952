import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Tool, tool } from '@openai/agents';
import { z } from 'zod';

/** The tools of an agent in the folder of a project: read, change and run its scripts. */
export function projectTools(directory: string): Tool[] {
  const script = z.string().regex(/^[a-z]+\.js$/, 'A script of the project, such as totals.js');
  return [
    tool({
      name: 'list_files',
      description: 'Lists the scripts of the project.',
      parameters: z.object({}),
      execute: () =>
        readdirSync(directory)
          .filter((name) => name.endsWith('.js'))
          .join('\n'),
    }),
    tool({
      name: 'read_file',
      description: 'Reads a script.',
      parameters: z.object({ name: script }),
      execute: ({ name }) => readFileSync(join(directory, name), 'utf8'),
    }),
    tool({
      name: 'write_file',
      description: 'Replaces a script.',
      parameters: z.object({ name: script, text: z.string() }),
      execute: ({ name, text }) => {
        writeFileSync(join(directory, name), text);
        return 'Written.';
      },
    }),
    tool({
      name: 'run_script',
      description: 'Runs a script with Node.js and returns its output.',
      parameters: z.object({ name: script }),
      execute: ({ name }) => runScript(directory, name),
    }),
  ];
}

function runScript(cwd: string, name: string): string {
  try {
    return execFileSync(process.execPath, [name], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    return `It failed: ${/^.*Error.*$/m.exec(stderr ?? '')?.[0] ?? 'no message'}`;
  }
}
