import type { FormatKinds, Generated } from './kind.ts';

/* Blocks of messages of Strands. */

const PIXEL = { format: 'png', source: { bytes: 'iVBORw0K' } };

export const STRANDS: FormatKinds = {
  kinds: {
    reasoning: (n) => ({ output: [{ reasoning: { text: 'Hm.', signature: `signature ${n}` } }] }),
    message: (n) => ({ output: [{ text: `Text ${n}` }] }),
    call: (n) => call(n, 'search'),
    handoff: (n) => call(n, 'transfer_to_support'),
    'failed call': (n) => call(n, 'search', 'error'),
    'call of a picture': (n) => ({
      ...call(n, 'draw'),
      answers: [{ toolResult: { toolUseId: `call_${n}`, status: 'success', content: [{ image: PIXEL }] } }],
    }),
    'call before a cache point': (n) => {
      const { output, answers = [] } = call(n, 'search');
      return { output, answers: [...answers, { cachePoint: { cacheType: 'default' } }] };
    },
    'hidden reasoning': (n) => ({ output: [{ reasoning: { redactedContent: 'gAAAA' } }, { text: `Text ${n}` }] }),
    citations: (n) => ({ output: [{ citations: { citations: [], content: [{ text: `Text ${n}` }] } }] }),
  },
  questions: {
    question: (n) => [{ role: 'user', content: [{ text: `Question ${n}` }] }],
    'question before a cache point': (n) => [
      { role: 'user', content: [{ text: `Question ${n}` }, { cachePoint: { cacheType: 'default' } }] },
    ],
    'guarded question': (n) => [
      { role: 'user', content: [{ guardContent: { text: { text: `Question ${n}`, qualifiers: ['query'] } } }] },
    ],
    'question with files': (n) => [
      {
        role: 'user',
        content: [
          { text: `Question ${n}` },
          { image: PIXEL },
          { audio: { format: 'mp3', source: { bytes: 'iVBORw0K' } } },
          { video: { format: 'mp4', source: { bytes: 'iVBORw0K' } } },
          { document: { format: 'txt', name: 'a', source: { text: 'a' } } },
        ],
      },
    ],
  },
};

function call(n: number, name: string, status = 'success'): Generated {
  const toolUseId = `call_${n}`;
  return {
    output: [{ toolUse: { name, toolUseId, input: {} } }],
    answers: [{ toolResult: { toolUseId, status, content: [{ text: 'found' }] } }],
  };
}
