import type { FormatKinds, Generated } from './kind.ts';

/* Parts of messages of `useChat` of the AI SDK. */

const PIXEL = { mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0K' };

export const UI: FormatKinds = {
  kinds: {
    reasoning: (n) => ({ output: [{ type: 'reasoning', text: 'Hm.', state: 'done', ...itemId(`rs_${n}`) }] }),
    message: (n) => ({ output: [text(n)] }),
    call: (n) => call(n, 'tool-search'),
    handoff: (n) => call(n, 'tool-transfer_to_support'),
    'call of a tool that was found': (n) => call(n, 'dynamic-tool', { toolName: 'found' }),
    'failed call': (n) => ({
      output: [part(n, 'tool-search', { state: 'output-error', errorText: 'No.' })],
      open: [part(n, 'tool-search', { state: 'input-streaming', input: undefined })],
    }),
    'hosted call': (n) => call(n, 'tool-search', { providerExecuted: true, ...callMetadata(`ws_${n}`) }),
    'failed hosted call': (n) => ({
      output: [
        part(n, 'tool-search', {
          ...{ state: 'output-error', errorText: 'No.', providerExecuted: true },
          ...callMetadata(`ws_${n}`),
        }),
      ],
    }),
    approval: (n) => approval(n, { state: 'output-available', output: 'found' }, true),
    'denied approval': (n) => approval(n, { state: 'output-denied' }, false),
    'MCP approval': (n) =>
      approval(n, { state: 'output-available', output: 'found', ...callMetadata(`ws_${n}`) }, true, {
        providerExecuted: true,
        ...callMetadata(undefined),
      }),
    sources: (n) => ({
      output: [
        { type: 'source-url', sourceId: `s_${n}`, url: 'https://example.com' },
        { type: 'source-document', sourceId: `d_${n}`, mediaType: 'text/plain', title: 'a' },
      ],
    }),
    data: (n) => ({ output: [{ type: 'data-progress', id: `p_${n}`, data: 1 }] }),
    'reasoning file': (n) => ({ output: [{ type: 'reasoning-file', ...PIXEL }, text(n)] }),
    file: (n) => ({ output: [text(n), { type: 'file', ...PIXEL }] }),
    compaction: (n) => ({
      output: [{ type: 'custom', kind: 'openai.compaction', ...itemId(`cmp_${n}`) }, text(n)],
    }),
    'message of the user': (n) => ({
      output: [{ type: 'steering-message', id: `steering_${n}`, parts: [{ type: 'text', text: `Wait ${n}` }] }],
    }),
  },
  questions: {
    question: (n) => [question(n)],
    'question with a file': (n) => [question(n), { type: 'file', ...PIXEL }],
  },
};

function question(n: number): object {
  return { type: 'text', text: `Question ${n}` };
}

function text(n: number): object {
  return { type: 'text', text: `Text ${n}`, state: 'done', ...itemId(`msg_${n}`) };
}

function itemId(id: string): object {
  return { providerMetadata: { openai: { itemId: id } } };
}

function callMetadata(id: string | undefined): object {
  return { callProviderMetadata: id && { openai: { itemId: id } } };
}

function part(n: number, type: string, fields: object): object {
  return { type, toolCallId: `call_${n}`, input: {}, ...callMetadata(`fc_${n}`), ...fields };
}

function call(n: number, type: string, fields: object = {}): Generated {
  return {
    output: [part(n, type, { ...fields, state: 'output-available', output: 'found' })],
    open: [part(n, type, { ...fields, state: 'input-available' })],
  };
}

function approval(n: number, ended: object, approved: boolean, fields: object = {}): Generated {
  const id = `approval_${n}`;
  return {
    output: [part(n, 'tool-mail', { ...fields, ...ended, approval: { id, approved } })],
    open: [part(n, 'tool-mail', { ...fields, state: 'approval-requested', approval: { id } })],
    decided: [part(n, 'tool-mail', { ...fields, state: 'approval-responded', approval: { id, approved } })],
  };
}
