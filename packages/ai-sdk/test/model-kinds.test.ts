import { historyOfKinds, modelHistory } from '@keepsake/testing/model-histories';
import type { ModelMessage, ToolUIPart, UIMessage } from 'ai';
import { expect, it } from 'vitest';

/* As in packages/core/test/model-kinds.test.ts: a kind that a new version of the AI SDK adds is a type error here. */

type PartOf<Message> = Message extends { readonly content: infer Content } ? Exclude<Content, string> : never;
type Kind<Type> = Type extends `tool-${string}` ? 'tool-*' : Type extends `data-${string}` ? 'data-*' : Type;
type All<Name extends string> = Readonly<Record<Name, true>>;

const messageParts: All<PartOf<ModelMessage>[number]['type']> = {
  text: true,
  image: true,
  file: true,
  reasoning: true,
  'reasoning-file': true,
  custom: true,
  'tool-call': true,
  'tool-result': true,
  'tool-approval-request': true,
  'tool-approval-response': true,
};

const uiParts: All<Kind<UIMessage['parts'][number]['type']>> = {
  text: true,
  file: true,
  reasoning: true,
  'reasoning-file': true,
  custom: true,
  'source-url': true,
  'source-document': true,
  'tool-*': true,
  'dynamic-tool': true,
  'data-*': true,
  'steering-message': true,
  'step-start': true,
};

const callStates: All<ToolUIPart['state']> = {
  'input-streaming': true,
  'input-available': true,
  'approval-requested': true,
  'approval-responded': true,
  'output-available': true,
  'output-error': true,
  'output-denied': true,
};

const kindOf = (type: string) => type.replace(/^(tool|data)-.*$/, '$1-*');
const names = (values: readonly string[]) => [...new Set(values)].sort();

it('histories have each kind of part of messages', () => {
  const messages = historyOfKinds('ai-sdk').items as ModelMessage[];
  const types = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.map(({ type }) => type)));
  expect(names(types)).toEqual(names(Object.keys(messageParts)));
});

it('histories have each kind of part of messages of user interfaces, and each state of a call', () => {
  const cutOff = ['open call', 'open failed call', 'open approval', 'decided approval'];
  const histories = [historyOfKinds('ui'), modelHistory('ui', [cutOff])];
  const parts = histories.flatMap(({ items }) => (items as UIMessage[]).flatMap(({ parts }) => parts));
  expect(names(parts.map(({ type }) => kindOf(type)))).toEqual(names(Object.keys(uiParts)));
  const states = parts.flatMap((part) => ('toolCallId' in part ? part.state : []));
  expect(names(states)).toEqual(names(Object.keys(callStates)));
});
