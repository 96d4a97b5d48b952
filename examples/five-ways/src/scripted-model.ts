import type { JsonObject, MemoryModel } from '@keepsake/core';

/** Scripted answers in place of a model, so that this program needs no API key. */
export const scriptedModel: MemoryModel = {
  async generate({ prompt, schema }) {
    const asked = JSON.stringify(schema ?? {});
    const answer = ANSWERS.find(([pattern]) => pattern.test(asked))?.[1](prompt) ?? {};
    return { text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  },
};

type Answer = (prompt: string) => JsonObject | string;

/** By what the schema of the answer asks for. */
const ANSWERS: readonly (readonly [RegExp, Answer])[] = [
  [/"actions"/, consolidation],
  [/"rawMemory"/, notes],
  [/"summary"/, () => ({ summary: 'Alice moved to Lisbon and asked about invoice 17.' })],
  [/./, () => ({ city: 'Lisbon' })],
];

const LESSON = 'Invoice totals are rounded once, in totals.ts';

/** What a run taught. */
function notes(): JsonObject {
  return {
    rolloutSummary: 'The total of invoice 17 was wrong, because it was rounded twice.',
    rolloutSlug: 'invoice-17',
    rawMemory: `---
description: Repair an invoice
task: Repair invoice 17
taskGroup: invoices
outcome: success
keywords: invoice, rounding
---
# Task: Repair invoice 17
## Reusable knowledge
- ${LESSON}
`,
  };
}

/** The memory of all runs. */
function consolidation(prompt: string): JsonObject {
  const [, id = ''] = /<file path="raw_memories\/(.+?)\.md">/.exec(prompt) ?? [];
  const bullet = `- ${LESSON} [rollouts: ${id}]`;
  const write = (path: string, text: string) => ({ tool: 'write', path, text, find: null, offset: null });
  return {
    actions: [
      write('MEMORY.md', `# Task group: invoices\n\n${bullet}\n`),
      write('memory_summary.md', `## General tips\n\n${bullet}\n`),
    ],
    done: true,
  };
}
