// @module-tag nightly: installs what each guide says.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ClaudeMessage,
  redirection,
  startAnthropic,
  startBedrock,
  startGateway,
  startOpenAI,
} from '@keepsake/emulators';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Guide } from './support/guide.ts';
import { Reader } from './support/reader.ts';

/* Follows guides as a reader does who has nothing but the guide. Emulators stand in for models, over real sockets. */

const start = new Guide('docs/getting-started.md');
let reader: Reader;
const emulators: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  reader = await Reader.open();
  const openai = await startOpenAI();
  openai.answerWith(({ input }) => answer(input));
  const bedrock = await startBedrock();
  bedrock.answerWith(answer);
  const gateway = await startGateway(answer);
  const anthropic = await startAnthropic(takeNotes);
  emulators.push(openai, bedrock, gateway, anthropic);
  Object.assign(reader.environment, {
    OPENAI_API_KEY: openai.apiKey,
    OPENAI_BASE_URL: openai.baseURL,
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock.client.endpoint,
    AWS_REGION: bedrock.client.region,
    AWS_ACCESS_KEY_ID: bedrock.client.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: bedrock.client.credentials.secretAccessKey,
    AI_GATEWAY_API_KEY: gateway.apiKey,
    NODE_OPTIONS: `--import=${redirection('https://ai-gateway.vercel.sh', gateway.url)}`,
    ANTHROPIC_API_KEY: anthropic.apiKey,
    ANTHROPIC_BASE_URL: anthropic.url,
  });
}, 900_000);
afterAll(async () => {
  await Promise.all(emulators.map((emulator) => emulator.stop()));
  await reader?.leave();
});

describe('"Getting started"', () => {
  it.each([
    ['OpenAI Agents SDK', 'OpenAI Agents'],
    ['Strands', 'Strands'],
    ['AI SDK', 'AI SDK'],
  ])(
    'leads to an agent with "%s" that knows in its second process what the first was told',
    async (framework, section) => {
      const [, second] = await useOf(framework, section);
      expect(second).toMatch(/I read: .*Bolt/);
    },
  );

  it('leads to a graph of LangGraph that continues in another process, and finds what other threads stored', async () => {
    expect(await useOf('LangGraph', 'LangGraph')).toEqual([
      'Message 1. I know: nothing\n',
      'Message 3. I know: I have a dog called Bolt.\n',
    ]);
  });

  it('leads in one command to a correctly typed chat server that knows a user in its second process', async () => {
    const folder = reader.folder('npm create');
    const [commands = '', talk = ''] = start.blocks('sh', 'With npm create');
    const [create = '', install = '', serve = ''] = commands.trim().split('\n');
    const registry = (await reader.shell('npm config get @keepsake:registry', folder)).trim();
    await reader.shell(create.replace(' -- ', ` --registry ${registry} -- `), folder);
    await reader.shell(install, folder);
    const project = join(folder, 'my-agent');
    expect(await reader.shell('npx tsc', project)).toBe('');
    const answers: string[] = [];
    for (const line of talk.trim().split('\n')) {
      const server = await reader.serve(serve, project);
      try {
        answers.push(await reader.shell(line.replace('http://localhost:3000', server.url), project));
      } finally {
        await server.stop();
      }
    }
    expect(answers[1]).toMatch(/I read: .*I am allergic to saffron\./);
  });

  it('has the settings with which TypeScript checks its programs', async () => {
    const project = await reader.project('types');
    const [, types = ''] = start.blocks('sh', 'A project');
    const [server = ''] = start.blocks('sh', 'A chat server');
    for (const command of [types, 'npm install @keepsake/file', server]) await reader.shell(command, project);
    const write = (name: string, text = '') => writeFileSync(join(project, name), text);
    write('tsconfig.json', start.blocks('json', 'A project')[0]);
    write('memory.ts', start.blocks('ts', 'Remember and recall')[0]);
    write('agent.ts', start.blocks('ts', 'Any model')[0]);
    write('answer.ts', start.blocks('ts', 'A chat server')[0]);
    write('server.ts', "import { answer } from './answer.ts';\n\nexport default answer;\n");
    expect(await reader.shell('npx tsc', project)).toBe('');
    write('wrong.ts', 'export const wrong: string = process.argv;\n');
    await expect(reader.shell('npx tsc', project)).rejects.toThrow('wrong.ts');
  });

  it('lets npm refuse a framework that is too old for the names in the guide', async () => {
    const project = await reader.project('an older AI SDK');
    await reader.shell('npm install ai@6', project);
    const installation = reader.shell('npm install @keepsake/core @keepsake/ai-sdk', project);
    await expect(installation).rejects.toThrow(/ERESOLVE.*peer ai@"\^7/s);
  });

  /** Makes a project as the guide says for a framework, and runs its code as the guide says. Returns what it prints. */
  async function useOf(framework: string, section: string): Promise<string[]> {
    const project = await reader.project(section);
    const [, more = ''] = /`(@keepsake\/[^`]+)`/.exec(start.row(framework)) ?? [];
    await reader.shell(`npm install @keepsake/core @keepsake/file ${more}`, project);
    writeFileSync(join(project, 'agent.ts'), start.blocks('ts', section).join('\n'));
    const [use = ''] = start.blocks('sh', 'Let an agent use it');
    return reader.shellAll(use, project);
  }
});

it.each([
  ['strands.md', 'Models', /I read: .*Bolt, said the user/],
  ['strands-storage.md', 'Strands: sessions and other storage', /I read: .*Bolt.*What is my dog called/],
  ['ai-sdk.md', 'Any model for memory work', /I read: .*Bolt, said the user/],
  ['claude.md', 'Start', /^I noted: I have a dog called Bolt\.$/m],
])('The second process of %s, "%s", knows what the first was told', async (name, section, knows) => {
  const guide = new Guide(`docs/${name}`);
  const project = await reader.project(name);
  const [installation = '', use = ''] = guide.blocks('sh', section);
  await reader.shell(installation, project);
  writeFileSync(join(project, 'agent.ts'), guide.blocks('ts', section).join('\n'));
  const [, second] = await reader.shellAll(use, project);
  expect(second).toMatch(knows);
});

it('The second process of the README, "Keepsake", knows what the first was told', async () => {
  const readme = new Guide('README.md');
  const project = await reader.project('README');
  await reader.shell('npm install @keepsake/core @keepsake/file', project);
  writeFileSync(join(project, 'agent.ts'), readme.blocks('ts', 'Keepsake').join('\n'));
  const [, use = ''] = readme.blocks('sh', 'Keepsake');
  const [, second] = await reader.shellAll(use, project);
  expect(second).toMatch(/I read: Where do I live\?.*I moved to Lisbon in May\./s);
});

/** The answer of a model: facts, if it is asked to extract them, and otherwise what it reads. */
function answer(messages: readonly object[]): string {
  const read = JSON.stringify(messages);
  const said = read.matchAll(/<message role=\\"user\\">(.*?)\.?<\/message>/g);
  const changes = [...said].map(([, text]) => ({ action: 'add', content: `${text}, said the user` }));
  return changes.length > 0 ? JSON.stringify({ changes }) : `I read: ${read}`;
}

const NOTES = '/memories/notes.md';

/** Claude notes down what it is told, and answers questions with its notes. */
function takeNotes(messages: readonly ClaudeMessage[]) {
  const told = String(messages[0]?.content);
  const result = /\\t(.*?)"/.exec(JSON.stringify(messages.at(-1)?.content))?.[1];
  if (messages.length > 1) return `I noted: ${result}`;
  const command = told.endsWith('?') ? { command: 'view' } : { command: 'create', file_text: told };
  return { tool: 'memory', input: { path: NOTES, ...command } };
}
