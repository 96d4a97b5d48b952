// A model has memory in its prompt, and remembers what was said.
import assert from 'node:assert/strict';
import { memoryMiddleware, memoryTools } from '@keepsake/ai-sdk';
import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { generateText, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const store = new InMemoryStore({ name: 'facts', extraction: true });
await store.add('Alice prefers aisle seats.');
const memory = new MemoryManager({ stores: [store] });
const inner = new MockLanguageModelV4({
  doGenerate: {
    content: [{ type: 'text', text: 'Yes.' }],
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  },
});
const model = wrapLanguageModel({ model: inner, middleware: memoryMiddleware(memory) });
await generateText({ model, prompt: 'Tell me which seats Alice prefers.', tools: memoryTools(memory) });
assert.match(JSON.stringify(inner.doGenerateCalls[0]?.prompt), /Alice prefers aisle seats\./);
await memory.flush();
assert.equal((await store.list()).items.length, 3);
