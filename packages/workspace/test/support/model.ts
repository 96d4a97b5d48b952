import type { JsonObject, MemoryModel } from '@keepsake/core';

/** A request to the model in either phase. */
export interface Asked {
  readonly phase: 'extraction' | 'consolidation';
  readonly system: string;
  readonly prompt: string;
}

type Answer = JsonObject | Error;
type Answers = Partial<Record<Asked['phase'], (asked: Asked, call: number) => Answer | Promise<Answer>>>;

/** A model that answers with functions and records its requests. */
export function scriptedModel(answers: Answers = {}): MemoryModel & { readonly asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    async generate({ system = '', prompt, schema }) {
      const phase = 'actions' in ((schema?.properties ?? {}) as JsonObject) ? 'consolidation' : 'extraction';
      const question: Asked = { phase, system, prompt };
      asked.push(question);
      const own = phase === 'extraction' ? notesOfTranscript : mergeNotes;
      const call = asked.filter((each) => each.phase === phase).length;
      const answer = await (answers[phase] ?? own)(question, call);
      if (answer instanceof Error) throw answer;
      return { text: JSON.stringify(answer), object: answer };
    },
  };
}

/** The notes of a task, in the requested format. */
export function notes(task: string, knowledge: readonly string[], slug = 'a-task'): JsonObject {
  return {
    rolloutSummary: `What was done: ${task}`,
    rolloutSlug: slug,
    rawMemory: `---
description: about ${task}
task: ${task}
taskGroup: tests
outcome: success
keywords: ${task.split(' ').join(', ')}
---
# Task: ${task}
## Reusable knowledge
${knowledge.map((each) => `- ${each}`).join('\n')}
`,
  };
}

export const NOTHING: JsonObject = { rolloutSummary: '', rolloutSlug: '', rawMemory: '' };

/** Extracts everything that the user said in a transcript as knowledge. */
function notesOfTranscript({ prompt }: Asked): JsonObject {
  const said = [...prompt.matchAll(/"role":"user","content":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) =>
    JSON.parse(`"${text}"`),
  );
  const before = /<earlier_raw_memory>[\s\S]*<\/earlier_raw_memory>/.exec(prompt)?.[0] ?? '';
  const known = [...before.matchAll(/^- (.*)$/gm)].map(([, text]) => text as string);
  return notes(String(said[0] ?? 'a task').replaceAll(/\s+/g, ' '), [...known, ...said.map(String)]);
}

/** Adds the bullets of all shown notes to the memory, and keeps the bullets of other conversations. */
function mergeNotes({ prompt }: Asked): JsonObject {
  const fileAt = (path: string) => {
    const begin = `<file path="${path}">\n`;
    const from = prompt.indexOf(begin);
    return from < 0 ? '' : prompt.slice(from + begin.length, prompt.indexOf('\n</file>', from));
  };
  const listed = (what: string) => {
    const ids = new RegExp(`^${what}: (.*)$`, 'm').exec(prompt)?.[1] ?? 'none';
    return ids === 'none' ? [] : ids.split(', ');
  };
  const fresh = [...listed('added'), ...listed('updated')];
  const isFresh = (line: string) => fresh.some((id) => line.endsWith(`[rollouts: ${id}]`));
  const kept = fileAt('MEMORY.md')
    .split('\n')
    .filter((line) => line.startsWith('- ') && !isFresh(line));
  const added = fresh.flatMap((id) =>
    [...fileAt(`raw_memories/${id}.md`).matchAll(/^- (.*)$/gm)].map(([, text]) => `- ${text} [rollouts: ${id}]`),
  );
  const bullets = [...added, ...kept].join('\n');
  return {
    actions: [
      write('MEMORY.md', `# Task group: tests\n\n${bullets}\n`),
      write('memory_summary.md', `## General tips\n\n${bullets}\n`),
    ],
    done: true,
  };
}

export function write(path: string, text: string): JsonObject {
  return { tool: 'write', path, text, find: null, offset: null };
}

export function act(tool: string, fields: JsonObject = {}): JsonObject {
  return { tool, path: null, text: null, find: null, offset: null, ...fields };
}
