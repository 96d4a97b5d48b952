import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Message } from '../../src/index.ts';
import { ConversationTurns } from '../../src/manager/injection/conversation-turns.ts';
import type { Turn } from '../../src/manager/injection/turn.ts';

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const toolUse = assistant([{ toolUse: { name: 't', toolUseId: '1', input: {} } }] as never);
const toolResult: Message = { role: 'user', content: [{ toolResult: { toolUseId: '1', content: [] } }] };

/** One turn: what the user says, the number of tool calls, the answer, and what happens after it. */
interface Step {
  readonly ask: string;
  readonly tools: number;
  readonly answer: string;
  /** How many of the last messages to keep; all if undefined. */
  readonly keep?: number | undefined;
  readonly summary: boolean;
}

/** Plays a conversation. Checks that each question keeps its turn, and that each new question gets another. */
function play(steps: readonly Step[], uniqueAnswers: boolean): void {
  const turns = new ConversationTurns();
  const known = new Map<Message, Turn>();
  let history: Message[] = [];
  const call = () => {
    const asks = history.filter(({ role, content }) => role === 'user' && typeof content === 'string');
    const places = turns.of(structuredClone(history));
    expect(places.map(({ index }) => history[index])).toEqual(asks);
    for (const [order, ask] of asks.entries()) {
      const { turn } = places[order] as { turn: Turn };
      const owner = [...known].find(([, other]) => other === turn)?.[0];
      expect(owner === undefined || owner === ask).toBe(true);
      if (known.has(ask)) expect(turn).toBe(known.get(ask));
      else known.set(ask, turn);
    }
  };
  for (const [index, { ask, tools, answer, keep, summary }] of steps.entries()) {
    history.push(user(ask));
    call();
    for (let count = 0; count < tools; count++) {
      history.push(toolUse, toolResult);
      call();
    }
    history.push(assistant(uniqueAnswers ? `${answer} ${index}` : answer));
    turns.end();
    if (keep === undefined || history.length <= keep) continue;
    history = history.slice(-keep);
    if (summary) history.unshift(user(`A summary of ${index} turns`));
  }
}

const stepOf = (keep: fc.Arbitrary<number | undefined>): fc.Arbitrary<Step> =>
  fc.record({
    ask: fc.constantFrom('yes', 'go on', 'and then?', 'no', 'What about the other one?'),
    tools: fc.nat(2),
    answer: fc.constantFrom('Done.', 'Shall I?', ''),
    keep,
    summary: fc.boolean(),
  });
const stepsOf = (step: fc.Arbitrary<Step>) => fc.array(step, { maxLength: 30 });

it('each question keeps its turn in a growing history, even if all questions and answers are alike', () => {
  fc.assert(fc.property(stepsOf(stepOf(fc.constant(undefined))), (steps) => play(steps, false)));
});

it('each question keeps its turn if old messages go or are summarized, even if questions are alike', () => {
  const keep = fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 12 }));
  fc.assert(fc.property(stepsOf(stepOf(keep)), (steps) => play(steps, true)));
});

it('the same question again is another turn after the end of the first, and the same one before it', () => {
  const turns = new ConversationTurns();
  const latest = (...messages: Message[]) => turns.of(messages).at(-1)?.turn;
  const first = latest(user('Yes'));
  expect(latest(user('Yes'))).toBe(first);
  turns.end();
  const second = latest(user('Yes'));
  expect(second).not.toBe(first);
  expect(latest(user('Yes'), toolUse, toolResult)).toBe(second);
  // A turn that ended early and is resumed.
  turns.end();
  expect(latest(user('Yes'), toolUse, toolResult)).toBe(second);
});

it('the same answer of the user to another question is another turn, even if its end was not told', () => {
  const turns = new ConversationTurns();
  const history = [user('Is the flight late?'), assistant('Shall I look?'), user('Yes')];
  const first = turns.of(history).at(-1)?.turn;
  history.push(assistant('It is. Shall I book another?'), user('Yes'));
  const places = turns.of(history.slice(2));
  expect(places[0]?.turn).toBe(first);
  expect(places[1]?.turn).not.toBe(first);
});

it('going back to an earlier question makes it another turn, and keeps those before it', () => {
  const turns = new ConversationTurns();
  const history = [user('First'), assistant('1'), user('Second'), assistant('2'), user('Third')];
  const before = turns.of(history).map(({ turn }) => turn);
  const after = turns.of(history.slice(0, 3)).map(({ turn }) => turn);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

it('another history between two requests does not disturb, and five others make it forgotten', () => {
  const turns = new ConversationTurns();
  const history = [user('Where is Oslo?'), assistant('In Norway.'), user('And Bergen?')];
  const before = turns.of(history).map(({ turn }) => turn);
  for (let index = 0; index < 3; index++) turns.of([user(`A title, please (${index})`)]);
  expect(turns.of(history).map(({ turn }) => turn)).toEqual(before);
  expect(turns.of(history)[0]?.turn).toBe(before[0]);
  for (let index = 0; index < 4; index++) turns.of([user(`Another title, please (${index})`)]);
  expect(turns.of(history)[0]?.turn).not.toBe(before[0]);
});

it('reads each message of a long history a few times only, growing or moving on by one turn each time', () => {
  const turns = new ConversationTurns();
  let reads = 0;
  /** Counts how often its text is read. */
  const counted = ({ role, content }: Message): Message => ({
    role,
    get content() {
      reads++;
      return content;
    },
  });
  const messages = Array.from({ length: 3_000 }, () => [counted(user('Go on')), counted(assistant('Done.'))]).flat();
  let seen = 0;
  for (let index = 0; index < 20; index++) {
    const request = messages.slice(index * 2, messages.length - 40 + index * 2 + 1);
    seen += request.length;
    turns.of(request);
    turns.end();
  }
  expect(reads).toBeLessThan(20 * seen);
});
