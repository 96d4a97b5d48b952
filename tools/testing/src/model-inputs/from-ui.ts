import type { Fields } from './fields.ts';
import type { AiSdkMessage } from './from-ai-sdk.ts';

/** A message of a user interface as `convertToModelMessages` of the AI SDK converts it: of each step, up to two messages. */
export function uiToAiSdk({ role, parts }: Fields): AiSdkMessage[] {
  if (role !== 'assistant') return [{ role, content: parts.filter(isSent).map(uiPart) }];
  const steps: Fields[][] = [[]];
  const messages: AiSdkMessage[][] = [];
  const end = () => messages.push(stepMessages(steps.splice(0).flat()));
  for (const part of parts as readonly Fields[]) {
    if (part.type === 'steering-message') {
      end();
      messages.push([{ role: 'user', content: part.parts.map(uiPart) }]);
    } else if (part.type === 'step-start') end();
    else if (isSent(part)) steps.push([part]);
  }
  end();
  return messages.flat();
}

function stepMessages(step: readonly Fields[]): AiSdkMessage[] {
  const content = step.flatMap((part) => (isCall(part) ? callParts(part) : [uiPart(part)]));
  const answers = step.filter(isCall).flatMap(answerParts);
  return [
    ...(content.length > 0 ? [{ role: 'assistant', content }] : []),
    ...(answers.length > 0 ? [{ role: 'tool', content: answers }] : []),
  ];
}

function isCall({ toolCallId }: Fields): boolean {
  return toolCallId !== undefined;
}

function isSent({ type }: Fields): boolean {
  return !/^(source-|data-)/.test(type);
}

function uiPart({ providerMetadata, ...part }: Fields): Fields {
  return { ...part, ...(providerMetadata && { providerOptions: providerMetadata }) };
}

function callParts(part: Fields): Fields[] {
  const { toolCallId, providerExecuted, callProviderMetadata: providerOptions, approval, state } = part;
  if (state === 'input-streaming') return [];
  return [
    { type: 'tool-call', toolCallId, providerExecuted, ...(providerOptions && { providerOptions }) },
    ...(approval ? [{ type: 'tool-approval-request', approvalId: approval.id, toolCallId }] : []),
    ...(providerExecuted && isEnded(part) ? [result(part)] : []),
  ];
}

function answerParts(part: Fields): Fields[] {
  const { providerExecuted, approval, state } = part;
  const denied = state === 'output-denied' || (state === 'approval-responded' && approval.approved === false);
  const response = {
    type: 'tool-approval-response',
    ...{ approvalId: approval?.id, approved: approval?.approved, providerExecuted },
  };
  return [
    ...(approval?.approved === undefined ? [] : [response]),
    ...(denied || (isEnded(part) && !providerExecuted) ? [result(part)] : []),
  ];
}

function result({ toolCallId, callProviderMetadata: providerOptions }: Fields): Fields {
  return { type: 'tool-result', toolCallId, ...(providerOptions && { providerOptions }) };
}

function isEnded({ state }: Fields): boolean {
  return state === 'output-available' || state === 'output-error';
}
