import type { JsonObject, MemoryModel } from '@keepsake/core';

/*
 * A local model that distils runs without an API key: it copies the requests and the calls, and joins all notes into one
 * list. A real model would summarize what is worth knowing.
 */

export function localMemoryModel(): MemoryModel {
  return {
    async generate({ prompt, schema }) {
      const isConsolidation = JSON.stringify(schema).includes('"actions"');
      const answer = isConsolidation ? merge(prompt) : takeNotes(prompt);
      return { text: JSON.stringify(answer), object: answer };
    },
  };
}

/** Phase 1: one conversation. */
function takeNotes(prompt: string): JsonObject {
  const records = prompt.split('\n').flatMap(readRecord);
  const asked = records.flatMap(({ input }) => (input?.role === 'user' ? [oneLine(input.content)] : []));
  const answers = records.flatMap(({ did }) => (did?.role === 'assistant' ? [oneLine(did.content)] : []));
  const calls = records.flatMap(({ did }) => (did?.type === 'function_call' ? [describeCall(did)] : []));
  const task = asked[0] ?? 'A task';
  const known = [...prompt.matchAll(/^- (.+)$/gm)].map(([, text]) => text as string);
  const learned = [...asked.map((text) => `The user asked: ${text}`), ...calls, ...answers.slice(-1)];
  const facts = [...new Set([...known, ...learned])].map((fact) => `- ${fact}`).join('\n');
  const head = { description: task, task, taskGroup: 'project', outcome: 'success', keywords: task.toLowerCase() };
  const frontMatter = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  return {
    rolloutSummary: `Asked: ${asked.join(' / ')}\n\nAnswered: ${answers.join(' / ')}`,
    rolloutSlug: task
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 40),
    rawMemory: `---\n${frontMatter.join('\n')}\n---\n# Task: ${task}\n## Reusable knowledge\n${facts}\n`,
  };
}

/** Phase 2: merges the new notes into the existing memory. */
function merge(prompt: string): JsonObject {
  const fresh = [...prompt.matchAll(/<file path="raw_memories\/(.+?)\.md">\n([\s\S]*?)\n<\/file>/g)];
  const added = fresh.flatMap(([, id, text = '']) =>
    [...text.matchAll(/^- (.+)$/gm)].map(([, fact]) => `- ${fact} [rollouts: ${id}]`),
  );
  const memory = /<file path="MEMORY\.md">\n([\s\S]*?)\n<\/file>/.exec(prompt)?.[1] ?? '';
  const kept = memory
    .split('\n')
    .filter((line) => line.startsWith('- ') && !fresh.some(([, id]) => line.includes(`[rollouts: ${id}]`)));
  const bullets = [...kept, ...added].join('\n');
  const write = (path: string, text: string) => ({ tool: 'write', path, text, find: null, offset: null });
  return {
    actions: [
      write('MEMORY.md', `# Task group: project\n\n${bullets}\n`),
      write('memory_summary.md', `## General tips\n\n${bullets}\n`),
    ],
    done: true,
  };
}

/** The part of an item that is read here. */
interface Item {
  readonly role?: string;
  readonly type?: string;
  readonly content?: unknown;
  readonly name?: string;
  readonly arguments?: string;
}

function readRecord(line: string): { readonly input?: Item; readonly did?: Item }[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

function describeCall({ name = '', arguments: given = '{}' }: Item): string {
  const { name: script = '' } = JSON.parse(given) as { readonly name?: string };
  return `It helped to call ${name} ${script}`.trim();
}

function oneLine(content: unknown): string {
  const text = Array.isArray(content) ? content.map(({ text = '' }) => text).join(' ') : String(content);
  return text.replaceAll(/\s+/g, ' ').trim();
}
