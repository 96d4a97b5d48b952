import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, MemoryManager, type MessageData } from '@strands-agents/sdk';
import { expect, it } from 'vitest';
import { SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

/** An agent with the memory in a file, and its model. */
function agentOn(file: string, ...replies: Reply[]) {
  const store = new SqliteStore({ file, name: 'facts' });
  const model = new ScriptedModel(...replies);
  const memoryManager = new MemoryManager({ stores: [store], addToolConfig: true });
  return { agent: new Agent({ model, memoryManager, printer: false }), model };
}

/** The part of a model's input that comes from memory. */
function memoryIn(messages: MessageData[] | undefined): string | undefined {
  const texts = messages?.at(-1)?.content.flatMap((block) => ('text' in block ? [block.text] : [])) ?? [];
  return texts.find((text) => text.includes('<memory>'))?.trim();
}

it('SqliteStore is the memory of a Strands agent: another agent knows what the first one stored', async () => {
  const file = newFile();
  const first = agentOn(
    file,
    { tool: 'add_memory', input: { entries: ['Alice prefers aisle seats.'] } },
    'I will remember that.',
  );
  await first.agent.invoke('I prefer aisle seats.');
  const second = agentOn(file, { tool: 'search_memory', input: { query: 'aisle' } }, 'Aisle.');
  await second.agent.invoke('Which seats does Alice prefer?');
  const entry = '<entry source="facts">Alice prefers aisle seats.</entry>';
  expect(memoryIn(second.model.inputs[0])).toBe(`<memory>\n${entry}\n</memory>`);
  expect(JSON.stringify(second.model.inputs[1])).toContain('Alice prefers aisle seats.');
});
