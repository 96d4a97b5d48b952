import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { AfterInvocationEvent, Agent, ExtractionTrigger, type ExtractionTriggerContext } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

/** Extracts only once something has set a flag. */
class CustomTrigger extends ExtractionTrigger {
  readonly name = 'custom-trigger';

  attach(context: ExtractionTriggerContext): void {
    context.agent.addHook(AfterInvocationEvent, () => {
      if (context.agent.appState.get('extract')) context.fire();
    });
  }
}

const store = new BedrockKnowledgeBaseStore({
  name: 'preferences',
  writable: true,
  extraction: { trigger: new CustomTrigger() },
  config: { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' },
});
const agent = new Agent({ model: new BedrockModel(), memoryManager: { stores: [store] }, printer: false });

for (const flag of [false, true]) {
  agent.appState.set('extract', flag);
  await agent.invoke('I like aisle seats.');
  console.log(await isFound('seats', flag));
}

/** Searches again and again: for long if the memory is expected, because the extraction runs in the background. */
async function isFound(query: string, isExpected: boolean): Promise<boolean> {
  for (let attempt = 0; attempt < (isExpected ? 300 : 5); attempt++) {
    if ((await store.search(query)).length > 0) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
