import fc from 'fast-check';
import { AGENTS } from './model-kinds/agents.ts';
import { AI_SDK } from './model-kinds/ai-sdk.ts';
import { type FormatKinds, type Generated, isAnswered, isDecided, type Kind } from './model-kinds/kind.ts';
import { RESPONSES } from './model-kinds/responses.ts';
import { STRANDS } from './model-kinds/strands.ts';
import { UI } from './model-kinds/ui.ts';

const FORMAT_KINDS = {
  responses: RESPONSES,
  agents: AGENTS,
  strands: STRANDS,
  'ai-sdk': AI_SDK,
  ui: UI,
} satisfies Record<string, FormatKinds>;

/** The formats in which frameworks keep what models generate. */
export type HistoryFormat = keyof typeof FORMAT_KINDS;

/** A conversation with a model that reasons and calls tools, in one format. */
export interface ModelHistory {
  readonly format: HistoryFormat;
  readonly items: readonly object[];
}

/**
 * What a model generates at once, in order, by the names of its kinds. Before the name of one that the client answers, `open `
 * says that it has not, and `decided ` that it has only decided.
 */
type Response = readonly string[];

/** The responses of a turn, after the name of the kind of its question if it is not a plain one. */
type Turn = readonly (string | Response)[];

/**
 * Conversations as services accept them until the last response of a turn: each response is a series of outputs of all kinds,
 * and reasoning is followed by what it led to. A turn can be cut off at any place, with calls that nobody answered.
 */
export function modelHistories(format: HistoryFormat): fc.Arbitrary<ModelHistory> {
  const { kinds, questions }: FormatKinds = FORMAT_KINDS[format];
  const names = Object.keys(kinds).filter((name) => name !== 'reasoning' && name !== 'compaction');
  const answered = answeredKinds(format);
  const complete = names.filter((name) => !answered.includes(name));
  const follower = fc.constantFrom(...names, 'message', 'call', 'call');
  const thought = fc.tuple(fc.constant('reasoning'), follower);
  const parallel = fc.constant(['call', 'call']);
  // A model compacts before it calls tools, whose results would have no calls otherwise.
  const compacts = fc.constantFrom(...(kinds.compaction === undefined ? [] : [['compaction']]), [], [], []);
  const response = fc
    .tuple(compacts, fc.array(fc.oneof(thought, fc.tuple(follower), parallel), { minLength: 1, maxLength: 3 }))
    .map((outputs) => outputs.flat(2));
  const cutOff = fc
    .tuple(response, fc.array(fc.nat({ max: 3 }), { maxLength: 2 }), fc.boolean(), fc.boolean())
    .map(([outputs, unanswered, decides, thinks]) => [
      ...outputs.map((output, index) => (unanswered.includes(index) ? unfinished(format, output, decides) : output)),
      ...(thinks ? ['reasoning'] : []),
    ]);
  const told = fc.constantFrom(...complete);
  const answer = fc.oneof(
    fc.constant(['message']),
    fc.constant(['reasoning', 'message']),
    fc.tuple(told, fc.constant('reasoning'), fc.constant('message')),
    fc.tuple(fc.constant('reasoning'), told, fc.constant('message')),
  );
  const last = fc.oneof(answer, cutOff);
  const asks = fc.constantFrom('question', ...Object.keys(questions));
  const turn = fc
    .tuple(asks, fc.array(response, { maxLength: 3 }), last)
    .map(([question, responses, end]): Turn => [question, ...responses, end]);
  return fc.array(turn, { minLength: 1, maxLength: 5 }).map((turns) => modelHistory(format, ...turns));
}

/** The history of such turns. */
export function modelHistory(format: HistoryFormat, ...turns: readonly Turn[]): ModelHistory {
  return { format, items: new Writer(format).write(turns) };
}

/** A history with a turn for each kind of output and of question, in which the model goes on and ends its answer. */
export function historyOfKinds(format: HistoryFormat): ModelHistory {
  const { kinds, questions }: FormatKinds = FORMAT_KINDS[format];
  const answered = Object.entries(kinds).map(([name, kind]): Turn => {
    return isAnswered(kind) ? [[name], ['message']] : [[name, 'message']];
  });
  const asked = Object.keys(questions).map((question): Turn => [question, ['message']]);
  return modelHistory(format, ...answered, ...asked);
}

/** The names of the kinds of output that the client answers. */
export function answeredKinds(format: HistoryFormat): string[] {
  const { kinds }: FormatKinds = FORMAT_KINDS[format];
  return Object.keys(kinds).filter((name) => isAnswered(kinds[name] as Kind));
}

/** The output without its answer, if it is of a kind that the client answers. */
function unfinished(format: HistoryFormat, output: string, decides: boolean): string {
  const kind = (FORMAT_KINDS[format] as FormatKinds).kinds[output];
  if (kind === undefined || !isAnswered(kind)) return output;
  return decides && isDecided(kind) ? `decided ${output}` : `open ${output}`;
}

/** Writes items with ids of their own. */
class Writer {
  readonly #format: HistoryFormat;
  readonly #kinds: FormatKinds;
  #count = 0;

  constructor(format: HistoryFormat) {
    this.#format = format;
    this.#kinds = FORMAT_KINDS[format];
  }

  write(turns: readonly Turn[]): object[] {
    return turns.flatMap((turn) => {
      const [asks = 'question'] = turn.filter((step) => typeof step === 'string');
      const responses = turn.filter((step) => typeof step !== 'string');
      const question = this.#kinds.questions[asks]?.(this.#next());
      if (question === undefined) throw new Error(`No kind of question is named ${asks}.`);
      if (this.#format !== 'ui') return [...question, ...this.#answer(responses)];
      return [this.#uiMessage('user', question), this.#uiMessage('assistant', this.#uiParts(responses))];
    });
  }

  #next(): number {
    return ++this.#count;
  }

  #answer(responses: readonly Response[]): object[] {
    let next: readonly object[] = [];
    return responses.flatMap((outputs) => {
      const generated = outputs.map((output) => this.#generate(output));
      const all = (name: keyof Generated) => generated.flatMap((one) => one[name] ?? []);
      const items = [
        ...this.#message('assistant', [...next, ...all('output')]),
        ...this.#message('client', all('decisions')),
        ...this.#message('client', all('answers')),
      ];
      next = all('next');
      return items;
    });
  }

  /** What there is of an output: one that is open or decided ends there. */
  #generate(name: string): Generated {
    const [, cut, kind = ''] = /^(open |decided )?(.*)$/.exec(name) ?? [];
    const write = this.#kinds.kinds[kind];
    if (write === undefined) throw new Error(`No kind of output is named ${kind}.`);
    const { output, open = output, decided = output, decisions = [], ...rest } = write(this.#next());
    if (cut === undefined) return { output, decisions, ...rest };
    return cut === 'open ' ? { output: open } : { output: decided, decisions };
  }

  /** The items of OpenAI are no parts of messages. */
  #message(from: 'assistant' | 'client', content: readonly object[]): readonly object[] {
    if (this.#format === 'responses' || this.#format === 'agents') return content;
    const role = from === 'assistant' ? from : this.#format === 'strands' ? 'user' : 'tool';
    return content.length === 0 ? [] : [{ role, content }];
  }

  #uiParts(responses: readonly Response[]): object[] {
    return responses.flatMap((outputs) => [
      { type: 'step-start' },
      ...outputs.flatMap((output) => this.#generate(output).output),
    ]);
  }

  #uiMessage(role: string, parts: readonly object[]): object {
    return { id: `message ${this.#next()}`, role, parts };
  }
}
