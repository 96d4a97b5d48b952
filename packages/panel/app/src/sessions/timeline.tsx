import { useState } from 'preact/hooks';
import type { TextPiece, TimelineItem } from '../../../src/protocol.ts';
import { LongText } from '../ui/long-text.tsx';
import { Text } from '../ui/text.tsx';

type LoadItem = (item: TimelineItem, offset: number) => Promise<TextPiece>;

interface TimelineProps {
  readonly items: readonly TimelineItem[];
  /** Loads the whole JSON of an item, piece by piece. */
  readonly loadItem: LoadItem;
}

/** What was said, in order. Calls of tools are folded, each with its result. */
export function Timeline({ items, loadItem }: TimelineProps) {
  const results = new Map(
    items.flatMap((item) => (item.kind === 'toolResult' && item.callId ? [[item.callId, item]] : [])),
  );
  const called = new Set(
    items
      .flatMap((item) => [item, ...(item.calls ?? [])])
      .filter(isCall)
      .map(({ callId }) => callId),
  );
  const shown = items.filter(({ kind, callId }) => kind !== 'toolResult' || !called.has(callId));
  return (
    <ol class="timeline">
      {shown.map((item) => (
        <li key={`${item.kind} ${item.position}`} class={`item ${item.kind} ${roleClass(item.role)}`}>
          <Item item={item} results={results} loadItem={loadItem} />
        </li>
      ))}
    </ol>
  );
}

interface ItemProps {
  readonly item: TimelineItem;
  readonly results: ReadonlyMap<string, TimelineItem>;
  readonly loadItem: LoadItem;
}

function Item({ item, results, loadItem }: ItemProps) {
  if (item.kind === 'toolCall') return <Call call={item} result={results.get(item.callId ?? '')} loadItem={loadItem} />;
  if (item.kind !== 'message') return <Folded item={item} loadItem={loadItem} />;
  return (
    <>
      <span class="role">{item.role ? <Text text={item.role} limit={40} /> : 'message'}</span>
      <div class="said">
        {item.content.text !== '' && <LongText shown={item.content} />}
        {item.content.truncated && <Raw item={item} loadItem={loadItem} />}
        {item.calls?.map((call, index) => (
          <Call key={index} call={call} result={results.get(call.callId ?? '')} loadItem={loadItem} />
        ))}
      </div>
    </>
  );
}

type CallProps = {
  readonly call: TimelineItem;
  readonly result: TimelineItem | undefined;
  readonly loadItem: LoadItem;
};

function Call({ call, result, loadItem }: CallProps) {
  return (
    <details class="fold">
      <summary>
        <span class="tool">
          <Text text={call.toolName ?? 'tool'} limit={80} />
        </span>
        <span class="glance">
          <Text text={call.content.text} limit={100} />
        </span>
        {!result && <span class="badge">no result</span>}
      </summary>
      <p class="label">Arguments</p>
      <LongText shown={call.content} />
      {result && (
        <>
          <p class="label">Result</p>
          <LongText shown={result.content} />
          {result.content.truncated && <Raw item={result} loadItem={loadItem} />}
        </>
      )}
    </details>
  );
}

const FOLDED: Readonly<Record<string, string>> = {
  toolResult: 'Tool result',
  reasoning: 'Reasoning',
  other: 'Other item',
};

function Folded({ item, loadItem }: { readonly item: TimelineItem; readonly loadItem: LoadItem }) {
  return (
    <details class="fold">
      <summary>
        <span class="tool">{FOLDED[item.kind]}</span>
        <span class="glance">
          <Text text={item.content.text} limit={100} />
        </span>
      </summary>
      <LongText shown={item.content} />
      {item.content.truncated && <Raw item={item} loadItem={loadItem} />}
    </details>
  );
}

/** The whole item as the JSON that is stored. */
function Raw({ item, loadItem }: { readonly item: TimelineItem; readonly loadItem: LoadItem }) {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return (
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Whole item as JSON
      </button>
    );
  }
  return (
    <LongText
      shown={{ text: '', length: item.content.length, truncated: true }}
      load={(offset) => loadItem(item, offset)}
    />
  );
}

function isCall({ kind }: TimelineItem): boolean {
  return kind === 'toolCall';
}

function roleClass(role: string | undefined): string {
  return role === 'user' || role === 'assistant' || role === 'system' ? role : '';
}
