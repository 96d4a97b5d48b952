import type { ModelHistory } from './model-histories.ts';

/*
 * The published rules of services for a conversation that is sent to a model again. Each function says what a service would
 * refuse.
 */

/** What the service of a format would refuse in items that were selected from a history; nothing if it accepts them. */
export function modelInputFaults({ format, items }: ModelHistory, sent: readonly object[]): string[] {
  if (format === 'strands') return bedrockFaults(sent as readonly BedrockMessage[]);
  return [
    ...responsesFaults(toOutputs(items), toOutputs(sent)),
    ...(sent as readonly Fields[]).filter(isThoughtsOnly).map(() => 'A message has nothing but reasoning.'),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads items of all formats
type Fields = Record<string, any>;

/** An item or part as the Responses API sees it. */
interface Output {
  /** The id of the service, by which it knows what belongs together. */
  readonly id?: string | undefined;
  /** What the model generated in the same response has the same number. */
  readonly response: number | undefined;
  readonly isReasoning: boolean;
  readonly call?: string | undefined;
  readonly result?: string | undefined;
}

/**
 * Reasoning needs the item that followed it, an item that reasoning led to needs it, and a call needs its output. The service
 * knows an item by its id, so an item without one needs nothing.
 */
function responsesFaults(history: readonly Output[], sent: readonly Output[]): string[] {
  const faults: string[] = [];
  const ids = sent.map(({ id }) => id);
  for (const [index, { id, isReasoning, response }] of history.entries()) {
    const place = id === undefined ? -1 : ids.indexOf(id);
    if (place === -1) continue;
    const next = history[index + 1];
    if (isReasoning && (next?.response !== response || ids[place + 1] !== next?.id)) {
      faults.push(`${id} was provided without its required following item.`);
    }
    const before = history.findLast((item, at) => at < index && item.response === response && item.isReasoning);
    if (!isReasoning && before !== undefined && !ids.slice(0, place).includes(before.id)) {
      faults.push(`${id} was provided without its required reasoning item ${before.id}.`);
    }
  }
  const unknown = sent.find(({ id, isReasoning }) => isReasoning && id === undefined);
  if (unknown !== undefined) faults.push('Reasoning has lost its id.');
  return [...faults, ...callFaults(sent)];
}

function callFaults(sent: readonly Output[]): string[] {
  const open = new Set<string>();
  const faults: string[] = [];
  for (const { call, result } of sent) {
    if (call !== undefined) open.add(call);
    if (result !== undefined && !open.delete(result)) faults.push(`No call found for the output of ${result}.`);
  }
  return [...faults, ...[...open].map((call) => `No output found for ${call}.`)];
}

/** The items, or the parts of messages of the AI SDK, in the order in which its provider sends them. */
function toOutputs(items: readonly object[]): Output[] {
  let response = 0;
  return (items as readonly Fields[]).flatMap((item) => {
    const parts = partsOf(item);
    if (parts !== undefined) response++;
    return (parts ?? [item]).flatMap((part) => {
      const isGenerated = item.role === 'assistant' || !(item.role ?? resultOf(part));
      if (!isGenerated || part.type === 'step-start') response++;
      return toOutput(part, isGenerated ? response : undefined);
    });
  });
}

function partsOf({ role, content, parts }: Fields): readonly Fields[] | undefined {
  if (role === undefined || (parts ?? content) === undefined) return undefined;
  const list = parts ?? content;
  return Array.isArray(list) && !list.some(({ type }) => type === 'output_text') ? list : undefined;
}

function toOutput(part: Fields, response: number | undefined): Output[] {
  const { type, providerOptions, providerMetadata, callProviderMetadata } = part;
  if (type === 'step-start') return [];
  const id = (providerOptions ?? providerMetadata ?? callProviderMetadata)?.openai?.itemId ?? (response && part.id);
  const output = { id, response, isReasoning: type === 'reasoning' };
  // A part of a user interface holds a call and its output.
  if (part.state !== undefined && part.toolCallId !== undefined) {
    const ended = part.state === 'output-available' ? [{ ...output, id: undefined, result: part.toolCallId }] : [];
    return [{ ...output, call: part.toolCallId }, ...ended];
  }
  return [{ ...output, call: callOf(part), result: resultOf(part) }];
}

function callOf({ type, callId, call_id, toolCallId }: Fields): string | undefined {
  if (type === 'tool-call') return toolCallId;
  return type === 'function_call' ? (callId ?? call_id) : undefined;
}

function resultOf({ type, callId, call_id, toolCallId }: Fields): string | undefined {
  if (type === 'tool-result') return toolCallId;
  return /^function_call_(result|output)$/.test(type) ? (callId ?? call_id) : undefined;
}

function isThoughtsOnly({ role, content, parts }: Fields): boolean {
  const list = parts ?? content;
  if (role !== 'assistant' || !Array.isArray(list)) return false;
  return list.every(({ type }) => type === 'reasoning' || type === 'step-start');
}

interface BedrockMessage {
  readonly role: string;
  readonly content: readonly {
    readonly reasoning?: object;
    readonly toolUse?: { readonly toolUseId: string };
    readonly toolResult?: { readonly toolUseId: string };
  }[];
}

/** Roles alternate, the user begins, no message is empty or ends with reasoning, and a call has its result in the next message. */
function bedrockFaults(sent: readonly BedrockMessage[]): string[] {
  const faults = sent.length > 0 && sent[0]?.role !== 'user' ? ['A conversation must start with a user message.'] : [];
  for (const [index, { role, content }] of sent.entries()) {
    if (content.length === 0) faults.push('A message is empty.');
    if (role === sent[index - 1]?.role) faults.push(`Two messages of the ${role} follow each other.`);
    if (content.at(-1)?.reasoning) faults.push('A message ends with reasoning.');
    const calls = content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []);
    const results = sent[index + 1]?.content.flatMap(({ toolResult }) => toolResult?.toolUseId ?? []) ?? [];
    if (calls.toSorted().join() !== results.toSorted().join()) faults.push(`Calls ${calls} have results ${results}.`);
  }
  return faults;
}
