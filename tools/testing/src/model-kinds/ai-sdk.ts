import type { FormatKinds, Generated } from './kind.ts';

/* Parts of messages of the AI SDK. */

const PIXEL = { mediaType: 'image/png', data: 'iVBORw0K' };

export const AI_SDK: FormatKinds = {
  kinds: {
    reasoning: (n) => ({ output: [{ type: 'reasoning', text: 'Hm.', ...itemId(`rs_${n}`) }] }),
    message: (n) => ({ output: [text(n)] }),
    call: (n) => answered(n, 'search'),
    handoff: (n) => answered(n, 'transfer_to_support'),
    'hosted call': (n) => ({ output: [hostedCall(n), hostedResult(n)] }),
    'hosted call with calls': (n) => ({
      ...answered(n, 'search'),
      output: [{ ...hostedCall(n), toolCallId: `hosted_${n}` }, ...answered(n, 'search').output],
      next: [{ ...hostedResult(n), toolCallId: `hosted_${n}` }],
    }),
    approval: (n) => ({
      ...answered(n, 'mail'),
      output: [...answered(n, 'mail').output, approvalRequest(n)],
      decisions: [{ type: 'tool-approval-response', approvalId: `approval_${n}`, approved: true }],
    }),
    'denied approval': (n) => ({
      output: [...answered(n, 'mail').output, approvalRequest(n)],
      decisions: [{ type: 'tool-approval-response', approvalId: `approval_${n}`, approved: false }],
      answers: [result(n, 'mail', { type: 'execution-denied' })],
    }),
    // The service calls again.
    'MCP approval': (n) => ({
      output: [{ ...hostedCall(n), providerOptions: {} }, approvalRequest(n)],
      answers: [
        { type: 'tool-approval-response', approvalId: `approval_${n}`, approved: true, providerExecuted: true },
      ],
      next: [hostedCall(n), hostedResult(n)],
    }),
    'reasoning file': (n) => ({ output: [{ type: 'reasoning-file', ...PIXEL }, text(n)] }),
    file: (n) => ({ output: [text(n), { type: 'file', ...PIXEL }] }),
    compaction: (n) => ({ output: [{ type: 'custom', kind: 'openai.compaction', ...itemId(`cmp_${n}`) }, text(n)] }),
  },
  // Not as texts, which are not joined, and without instructions in between, which Gemini refuses.
  questions: {
    question: (n) => [{ role: 'user', content: [question(n)] }],
    'question with files': (n) => [
      {
        role: 'user',
        content: [question(n), { type: 'file', ...PIXEL }, { type: 'image', image: PIXEL.data }],
      },
    ],
  },
};

function question(n: number): object {
  return { type: 'text', text: `Question ${n}` };
}

function text(n: number): object {
  return { type: 'text', text: `Text ${n}`, ...itemId(`msg_${n}`) };
}

function itemId(id: string): object {
  return { providerOptions: { openai: { itemId: id } } };
}

function answered(n: number, toolName: string): Generated {
  const call = { type: 'tool-call', toolCallId: `call_${n}`, toolName, input: {}, ...itemId(`fc_${n}`) };
  return { output: [call], answers: [result(n, toolName, { type: 'text', value: 'found' })] };
}

function result(n: number, toolName: string, output: object): object {
  return { type: 'tool-result', toolCallId: `call_${n}`, toolName, output };
}

function hostedCall(n: number): object {
  const call = { type: 'tool-call', toolCallId: `call_${n}`, toolName: 'search', input: {}, providerExecuted: true };
  return { ...call, ...itemId(`ws_${n}`) };
}

function hostedResult(n: number): object {
  return { ...result(n, 'search', { type: 'json', value: [] }), ...itemId(`ws_${n}`) };
}

function approvalRequest(n: number): object {
  return { type: 'tool-approval-request', approvalId: `approval_${n}`, toolCallId: `call_${n}` };
}
