import { type BedrockEmulator, startBedrock } from '@keepsake/emulators';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import {
  AfterInvocationEvent,
  Agent,
  configureLogging,
  ExtractionTrigger,
  type ExtractionTriggerContext,
  InvocationTrigger,
  MemoryManager,
  type MessageData,
  ModelExtractor,
} from '@strands-agents/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BedrockKnowledgeBaseConfig, BedrockKnowledgeBaseStore } from '../src/index.ts';

/*
 * The programs of the Strands memory guide that use its Bedrock store, with this store instead. The options are those of the
 * guide, and the store creates its own clients, which the environment directs to the emulator.
 */

const warnings: unknown[] = [];
let emulator: BedrockEmulator;

beforeEach(async () => {
  warnings.length = 0;
  const warn = (...args: unknown[]) => void warnings.push(...args);
  configureLogging({ debug() {}, info() {}, warn, error: warn });
  emulator = await startBedrock();
  for (const service of ['BEDROCK_AGENT', 'BEDROCK_AGENT_RUNTIME', 'S3']) {
    vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, emulator.url);
  }
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'emulator');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'emulator');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await emulator.stop();
  expect(warnings).toEqual([]);
});

const config: BedrockKnowledgeBaseConfig = {
  knowledgeBaseId: 'KB123',
  dataSourceType: 'CUSTOM',
  dataSourceId: 'DS456',
};
const indexed = () => [...emulator.indexed('DS456').values()].sort();

describe('in an agent of Strands', () => {
  it('injects memories', async () => {
    emulator.plant('DS456', { id: 'planted', text: 'Prefers aisle seats on flights.' });
    const store = new BedrockKnowledgeBaseStore({
      name: 'preferences',
      description: 'User preferences and stable facts about the user.',
      writable: true,
      config: { ...config },
    });
    const model = new ScriptedModel('Aisle.');
    const agent = new Agent({ model, memoryManager: { stores: [store] }, printer: false });
    await agent.invoke('Which seats do I like on flights?');
    expect(JSON.stringify(model.inputs[0])).toContain('Prefers aisle seats on flights.');
    expect(JSON.stringify(agent.messages)).not.toContain('Prefers aisle seats');
  });

  it('saves what the agent remembers with its tool, and finds it by search', async () => {
    const store = new BedrockKnowledgeBaseStore({
      name: 'preferences',
      writable: true,
      extraction: true,
      config: { ...config },
    });
    const model = new ScriptedModel(
      { tool: 'add_memory', input: { entries: ['Lives in Oslo.'] } },
      { tool: 'search_memory', input: { query: 'Oslo' } },
      'You live in Oslo.',
    );
    const agent = new Agent({ model, memoryManager: { stores: [store], addToolConfig: true }, printer: false });
    await agent.invoke('I live in Oslo. Where do I live?');
    expect(indexed()).toEqual(['Lives in Oslo.']);
    expect(JSON.stringify(model.inputs.at(-1))).toContain('"content":"Lives in Oslo."');
  });

  it('isolates users and teams on one connection', async () => {
    const connection = { ...config };
    const personal = new BedrockKnowledgeBaseStore({
      name: 'personal',
      description: 'Knowledge specific to this user.',
      writable: true,
      scope: 'user-abc',
      config: connection,
    });
    const team = new BedrockKnowledgeBaseStore({
      name: 'team',
      description: 'Shared team knowledge.',
      scope: 'team-xyz',
      config: connection,
    });
    emulator.plant('DS456', { id: 'team', text: 'Deploys go out on Tuesdays.', attributes: { namespace: 'team-xyz' } });
    emulator.plant('DS456', {
      id: 'other',
      text: 'Deploys of others go out daily.',
      attributes: { namespace: 'team-pqr' },
    });
    const memoryManager = new MemoryManager({ stores: [personal, team] });
    const agent = new Agent({ model: new ScriptedModel('Tuesday.'), memoryManager, printer: false });
    await agent.invoke('When do deploys go out?');
    await memoryManager.add('Is on call for deploys this week', {
      stores: ['personal'],
      metadata: { category: 'duty' },
    });
    const all = await memoryManager.search('deploys', { maxSearchResults: 5 });
    expect(all.map(({ content, storeName }) => [storeName, content])).toEqual([
      ['personal', 'Is on call for deploys this week'],
      ['team', 'Deploys go out on Tuesdays.'],
    ]);
    expect(await memoryManager.search('deploys', { stores: ['team'] })).toHaveLength(1);
    // One connection, so one request for the type of the base.
    expect(emulator.requests.filter(({ path }) => path.endsWith('/KB123'))).toHaveLength(1);
  });

  it('supports renamed tools, and writes that are not awaited', async () => {
    const store = new BedrockKnowledgeBaseStore({ name: 'preferences', writable: true, config: { ...config } });
    const model = new ScriptedModel(
      { tool: 'add_memory', input: { entries: ['Likes tea.'] } },
      { tool: 'recall', input: { query: 'tea' } },
      'Tea.',
    );
    const memoryManager = {
      stores: [store],
      searchToolConfig: { name: 'recall', description: 'Look up what you remember about the user.' },
      addToolConfig: { waitForWrites: false },
    };
    await new Agent({ model, memoryManager, printer: false }).invoke('I like tea.');
    await expect.poll(indexed).toEqual(['Likes tea.']);
    expect(model.inputs).toHaveLength(3);
  });

  it('supports the injection settings', async () => {
    emulator.plant('DS456', { id: 'planted', text: 'Prefers aisle seats.' });
    const store = new BedrockKnowledgeBaseStore({ name: 'preferences', config: { knowledgeBaseId: 'KB123' } });
    const model = new ScriptedModel('Hello.', 'Aisle.');
    const agent = new Agent({
      model,
      memoryManager: {
        stores: [store],
        injection: {
          trigger: ({ messages }) => messages.length >= 3,
          maxEntries: 3,
          query: ({ messages }: { messages: MessageData[] }) => {
            const block = messages.at(-1)?.content[0];
            return block && 'text' in block ? block.text : undefined;
          },
          format: ({ entries }) => entries.map((entry) => `- ${entry.content}`).join('\n'),
        },
      },
      printer: false,
    });
    await agent.invoke('Hello, which seats?');
    await agent.invoke('Which seats?');
    expect(JSON.stringify(model.inputs[0])).not.toContain('- Prefers aisle seats.');
    expect(JSON.stringify(model.inputs[1])).toContain('- Prefers aisle seats.');
  });

  it('learns from conversations', async () => {
    const distiller = new ScriptedModel('[{"content":"Prefers aisle seats."}]');
    const store = new BedrockKnowledgeBaseStore({
      name: 'preferences',
      writable: true,
      extraction: {
        trigger: new InvocationTrigger(),
        extractor: new ModelExtractor({ model: distiller, systemPrompt: 'Extract durable user preferences.' }),
      },
      config: { ...config },
    });
    const memoryManager = new MemoryManager({ stores: [store], injection: false });
    const agent = new Agent({ model: new ScriptedModel('Noted.'), memoryManager, printer: false });
    await agent.invoke('I prefer aisle seats.');
    await memoryManager.flush();
    expect(indexed()).toEqual(['Prefers aisle seats.']);
  });

  it('learns when a trigger of Strands fires', async () => {
    class CustomTrigger extends ExtractionTrigger {
      readonly name = 'custom-trigger';

      attach(context: ExtractionTriggerContext): void {
        context.agent.addHook(AfterInvocationEvent, () => {
          if (context.agent.appState.get('extract')) context.fire();
        });
      }
    }
    const model = new ScriptedModel('Noted.', 'Noted too.', '[{"content":"Likes tea."}]');
    const store = new BedrockKnowledgeBaseStore({
      name: 'preferences',
      writable: true,
      extraction: { trigger: new CustomTrigger() },
      config: { ...config },
    });
    const agent = new Agent({ model, memoryManager: { stores: [store], injection: false }, printer: false });
    await agent.invoke('I like tea.');
    agent.appState.set('extract', true);
    await agent.invoke('Very much so.');
    await expect.poll(indexed).toEqual(['Likes tea.']);
  });
});
