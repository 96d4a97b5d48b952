import type { ModelHistory } from './model-histories.ts';
import { anthropicInputFault } from './model-inputs/anthropic.ts';
import { bedrockInputFault } from './model-inputs/bedrock.ts';
import { chatInputFault } from './model-inputs/chat.ts';
import type { Fields } from './model-inputs/fields.ts';
import { agentsToResponses } from './model-inputs/from-agents.ts';
import {
  aiSdkPrompt,
  aiSdkPromptFault,
  aiSdkToAnthropic,
  aiSdkToChat,
  aiSdkToGemini,
  aiSdkToResponses,
} from './model-inputs/from-ai-sdk.ts';
import { strandsToAnthropic, strandsToBedrock, strandsToChat, strandsToGemini } from './model-inputs/from-strands.ts';
import { uiToAiSdk } from './model-inputs/from-ui.ts';
import { geminiInputFault } from './model-inputs/gemini.ts';
import { GeneratedItems, type ResponsesItem, responsesInputFault } from './model-inputs/responses.ts';

/** What the services that a framework supports would refuse in items that were selected from a history; `[]` for nothing. */
export function modelInputFaults(history: ModelHistory, sent: readonly object[]): string[] {
  return faultsOf(history, sent as readonly (Fields & Message)[]).filter((fault) => fault !== undefined);
}

interface Message {
  readonly role: string;
  readonly content: readonly Fields[];
}

function faultsOf(history: ModelHistory, sent: readonly (Fields & Message)[]): (string | undefined)[] {
  if (history.format === 'strands') {
    return [
      bedrockInputFault(strandsToBedrock(sent)),
      anthropicInputFault(strandsToAnthropic(sent)),
      geminiInputFault(strandsToGemini(sent)),
      chatInputFault(strandsToChat(sent)),
    ];
  }
  const generated = new GeneratedItems(true);
  for (const output of responsesOf(history)) generated.add(output);
  if (history.format === 'agents') return [responsesInputFault(agentsToResponses(sent), generated)];
  if (history.format === 'responses') return [responsesInputFault(sent, generated)];
  const messages = aiSdkPrompt(history.format === 'ui' ? sent.flatMap(uiToAiSdk) : sent);
  return [
    aiSdkPromptFault(messages),
    responsesInputFault(aiSdkToResponses(messages), generated),
    chatInputFault(aiSdkToChat(messages)),
    anthropicInputFault(aiSdkToAnthropic(messages)),
    // `convertToModelMessages` makes a message of each step: an application joins them for a service that needs that.
    ...(history.format === 'ui' ? [] : [geminiInputFault(aiSdkToGemini(messages))]),
  ];
}

/** What each response of the Responses API has generated. */
function responsesOf({ format, items }: ModelHistory): ResponsesItem[][] {
  const given = items as readonly (Fields & Message)[];
  if (format === 'ui') return given.flatMap(uiToAiSdk).map((message) => aiSdkToResponses([message]));
  if (format === 'ai-sdk') return given.map((message) => aiSdkToResponses([message]));
  const responses: ResponsesItem[][] = [[]];
  for (const item of format === 'agents' ? agentsToResponses(given) : given) {
    if (isOfClient(item)) responses.push([]);
    else responses.at(-1)?.push(item);
  }
  return responses;
}

/** What a tool of the service answers has an id, and belongs to the response. */
function isOfClient({ type = 'message', role, id }: ResponsesItem): boolean {
  if (type === 'message') return role !== 'assistant';
  return (
    (type.endsWith('_output') && !id) ||
    /^(local_shell_call_output|mcp_approval_response|additional_tools|configuration_update)$/.test(type)
  );
}
