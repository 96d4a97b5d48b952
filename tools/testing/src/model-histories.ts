import fc from 'fast-check';

/** The formats in which frameworks keep what models generate. */
export type HistoryFormat = 'responses' | 'agents' | 'strands' | 'ai-sdk' | 'ui';

/** A conversation with a model that reasons and calls tools, in one format. */
export interface ModelHistory {
  readonly format: HistoryFormat;
  readonly items: readonly object[];
}

/** What a model generates at once, in order. */
type Output = 'reasoning' | 'message' | 'hosted' | 'hosted shell' | 'answered call' | 'handoff' | 'open call';

type Turn = readonly (readonly Output[])[];

/**
 * Conversations as services accept them until the last response of a turn: each response is a series of outputs, and
 * reasoning is followed by what it led to. A turn can be cut off at any place, with calls that nobody answered.
 */
export function modelHistories(...formats: HistoryFormat[]): fc.Arbitrary<ModelHistory> {
  const follower = fc.constantFrom<Output>('message', 'hosted', 'hosted shell', 'answered call', 'handoff');
  const thought = fc.tuple(fc.constant<Output>('reasoning'), follower);
  const parallel = fc.constant<Output[]>(['answered call', 'answered call']);
  const response = fc
    .array(fc.oneof(thought, fc.tuple(follower), parallel), { minLength: 1, maxLength: 3 })
    .map((outputs) => outputs.flat());
  const cutOff = fc
    .tuple(response, fc.array(fc.nat({ max: 5 }), { maxLength: 2 }), fc.boolean())
    .map(([outputs, unanswered, thinks]) => [
      ...outputs.map((output, index) =>
        output === 'answered call' && unanswered.includes(index) ? 'open call' : output,
      ),
      ...(thinks ? (['reasoning'] as const) : []),
    ]);
  const answer = fc.constantFrom<Output[]>(
    ['message'],
    ['reasoning', 'message'],
    ['hosted', 'reasoning', 'message'],
    ['reasoning', 'hosted shell', 'message'],
  );
  const turn: fc.Arbitrary<Turn> = fc
    .tuple(fc.array(response, { maxLength: 3 }), fc.oneof({ weight: 3, arbitrary: answer }, cutOff))
    .map(([responses, last]) => [...responses, last]);
  return fc
    .tuple(fc.constantFrom(...formats), fc.array(turn, { minLength: 1, maxLength: 5 }))
    .map(([format, turns]) => ({ format, items: new Writer(format).write(turns) }));
}

/** The history of such turns. */
export function modelHistory(format: HistoryFormat, ...turns: readonly Turn[]): ModelHistory {
  return { format, items: new Writer(format).write(turns) };
}

/** Writes items with ids of their own. */
class Writer {
  readonly #format: HistoryFormat;
  #count = 0;

  constructor(format: HistoryFormat) {
    this.#format = format;
  }

  write(turns: readonly Turn[]): object[] {
    return turns.flatMap((responses) => {
      const question = `Question ${this.#next()}`;
      if (this.#format === 'ui') return [this.#uiMessage('user', [textPart(question)]), ...this.#uiAnswer(responses)];
      return [userMessage(this.#format, question), ...responses.flatMap((outputs) => this.#response(outputs))];
    });
  }

  #next(): number {
    return ++this.#count;
  }

  #response(outputs: readonly Output[]): object[] {
    const calls: Call[] = [];
    const written = outputs.flatMap((output) => {
      const number = this.#next();
      if (output === 'answered call' || output === 'handoff') calls.push(callOf(output, number));
      return WRITERS[this.#format as keyof typeof WRITERS](output, number);
    });
    if (this.#format === 'agents') return [...written, ...calls.map(agentsResult)];
    if (this.#format === 'responses') return [...written, ...calls.map(responsesResult)];
    const isStrands = this.#format === 'strands';
    const results = {
      role: isStrands ? 'user' : 'tool',
      content: calls.map(isStrands ? strandsResult : aiSdkResult),
    };
    return [{ role: 'assistant', content: written }, ...(calls.length === 0 ? [] : [results])];
  }

  #uiAnswer(responses: Turn): object[] {
    const parts = responses.flatMap((outputs) => [
      { type: 'step-start' },
      ...outputs.map((output) => uiPart(output, this.#next())),
    ]);
    return [this.#uiMessage('assistant', parts)];
  }

  #uiMessage(role: string, parts: readonly object[]): object {
    return { id: `message ${this.#next()}`, role, parts };
  }
}

interface Call {
  readonly id: string;
  readonly name: string;
}

/** A handoff to another agent is a call, too. */
function callOf(output: Output, number: number): Call {
  return { id: `call_${number}`, name: output === 'handoff' ? 'transfer_to_support' : 'search' };
}

function userMessage(format: HistoryFormat, text: string): object {
  if (format === 'strands') return { role: 'user', content: [{ text }] };
  if (format === 'ai-sdk') return { role: 'user', content: [textPart(text)] };
  return { type: 'message', role: 'user', content: text };
}

const WRITERS = { agents: agentsItem, responses: responsesItem, strands: strandsBlocks, 'ai-sdk': aiSdkParts } as const;

function agentsItem(output: Output, number: number): object[] {
  if (output === 'reasoning') return [{ type: 'reasoning', id: `rs_${number}`, content: [] }];
  if (output === 'message') return [outputMessage(number)];
  if (output === 'hosted') {
    const providerData = { type: 'web_search_call', id: `ws_${number}`, action: { type: 'search', query: 'x' } };
    return [
      { type: 'hosted_tool_call', id: `ws_${number}`, name: 'web_search_call', status: 'completed', providerData },
    ];
  }
  if (output === 'hosted shell') {
    const callId = `call_${number}`;
    return [
      { type: 'shell_call', id: `sh_${number}`, callId, status: 'completed', action: { commands: ['ls'] } },
      { type: 'shell_call_output', id: `sho_${number}`, callId, output: [] },
    ];
  }
  const { id: callId, name } = callOf(output, number);
  return [{ type: 'function_call', id: `fc_${number}`, callId, name, arguments: '{}' }];
}

function agentsResult({ id: callId, name }: Call): object {
  return { type: 'function_call_result', callId, name, status: 'completed', output: 'found' };
}

function responsesItem(output: Output, number: number): object[] {
  if (output === 'reasoning') return [{ type: 'reasoning', id: `rs_${number}`, summary: [] }];
  if (output === 'message') return [outputMessage(number)];
  if (output === 'hosted') {
    const action = { type: 'search', query: 'x' };
    return [{ type: 'web_search_call', id: `ws_${number}`, status: 'completed', action }];
  }
  if (output === 'hosted shell') {
    const call_id = `call_${number}`;
    return [
      { type: 'shell_call', id: `sh_${number}`, call_id, status: 'completed', action: { commands: ['ls'] } },
      { type: 'shell_call_output', id: `sho_${number}`, call_id, output: [] },
    ];
  }
  const { id: call_id, name } = callOf(output, number);
  return [{ type: 'function_call', id: `fc_${number}`, call_id, name, arguments: '{}' }];
}

function responsesResult({ id: call_id }: Call): object {
  return { type: 'function_call_output', call_id, output: 'found' };
}

function outputMessage(number: number): object {
  const content = [{ type: 'output_text', text: `Text ${number}`, annotations: [] }];
  return { type: 'message', role: 'assistant', id: `msg_${number}`, status: 'completed', content };
}

/** Whether the service runs the tool. Only the formats of OpenAI tell its shell from other tools. */
function isHosted(output: Output): boolean {
  return output === 'hosted' || output === 'hosted shell';
}

/** Bedrock has no hosted tools: their place is taken by a text. */
function strandsBlocks(output: Output, number: number): object[] {
  if (output === 'reasoning') return [{ reasoning: { text: 'Hm.', signature: `signature ${number}` } }];
  if (output === 'message' || isHosted(output)) return [{ text: `Text ${number}` }];
  const { id: toolUseId, name } = callOf(output, number);
  return [{ toolUse: { name, toolUseId, input: {} } }];
}

function strandsResult({ id: toolUseId }: Call): object {
  return { toolResult: { toolUseId, status: 'success', content: [{ text: 'found' }] } };
}

function aiSdkParts(output: Output, number: number): object[] {
  if (output === 'reasoning') return [{ type: 'reasoning', text: 'Hm.', ...options(`rs_${number}`) }];
  if (output === 'message') return [{ ...textPart(`Text ${number}`), ...options(`msg_${number}`) }];
  const { id, name } = callOf(output, number);
  const call = { type: 'tool-call', toolCallId: id, toolName: name, input: {} };
  if (!isHosted(output)) return [{ ...call, ...options(`fc_${number}`) }];
  return [{ ...call, providerExecuted: true, ...options(`ws_${number}`) }, aiSdkResult({ id, name })];
}

function options(itemId: string): object {
  return { providerOptions: { openai: { itemId } } };
}

function aiSdkResult({ id: toolCallId, name: toolName }: Call): object {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: 'found' } };
}

function textPart(text: string): object {
  return { type: 'text', text };
}

function uiPart(output: Output, number: number): object {
  const metadata = (itemId: string) => ({ openai: { itemId } });
  if (output === 'reasoning') {
    return { type: 'reasoning', text: 'Hm.', providerMetadata: metadata(`rs_${number}`) };
  }
  if (output === 'message') {
    return { ...textPart(`Text ${number}`), state: 'done', providerMetadata: metadata(`msg_${number}`) };
  }
  const { id, name } = callOf(output, number);
  const call = { type: `tool-${name}`, toolCallId: id, input: {} };
  const callProviderMetadata = metadata(`${isHosted(output) ? 'ws' : 'fc'}_${number}`);
  if (output === 'open call') return { ...call, state: 'input-available', callProviderMetadata };
  const ended = { ...call, state: 'output-available', output: 'found', callProviderMetadata };
  return isHosted(output) ? { ...ended, providerExecuted: true } : ended;
}
