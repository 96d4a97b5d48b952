import { useEffect, useState } from 'preact/hooks';
import { type Answer, LIMITS, PATHS } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { usePanel } from '../shell/context.ts';
import { go, href, type Params } from '../shell/router.ts';
import { Field } from '../ui/field.tsx';
import { formatCount, plural } from '../ui/format.ts';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { Hit } from './hit.tsx';

/** A question, what is recalled for it and why, and what a model would get. */
export function AskView({ params }: { readonly params: Params }) {
  const question = params.q ?? '';
  const query = {
    question,
    // An agent and its user say which namespace is asked.
    namespace: params.agent ? undefined : params.ns,
    descendants: params.deep !== 'no',
    user: params.user,
    agent: params.agent,
    limit: params.limit,
  };
  const key = question.trim() === '' ? undefined : JSON.stringify(query);
  const { data, error, loading, reload } = useLoaded(key, (signal) => get<Answer>(PATHS.ask, query, signal));
  return (
    <div class="view ask">
      <h1>Ask</h1>
      <p class="lead">What does an agent recall for a question, and why?</p>
      <AskForm params={params} key={JSON.stringify(params)} />
      <div aria-live="polite" aria-busy={loading}>
        {error && <Failure error={error} retry={reload} />}
        {loading && !data && <Skeleton lines={6} />}
        {data && <AnswerShown answer={data} question={question} />}
        {key === undefined && (
          <Empty title="Ask something that an agent should know">
            Such as <em>What does Alice drink?</em> You see each memory that is recalled, how its score comes about, and
            the exact text that a model would get.
          </Empty>
        )}
      </div>
    </div>
  );
}

function AskForm({ params }: { readonly params: Params }) {
  const { status } = usePanel();
  const [form, setForm] = useState(params);
  useEffect(() => document.querySelector<HTMLElement>('[data-search]')?.focus({ preventScroll: true }), []);
  const set = (change: Params) => setForm((before) => ({ ...before, ...change }));
  return (
    <form
      class="ask-form"
      onSubmit={(event) => {
        event.preventDefault();
        go('ask', form);
      }}
    >
      <div class="search-line">
        <input
          type="search"
          class="search-field"
          data-search
          aria-label="Question"
          placeholder="What does Alice drink?"
          maxLength={LIMITS.queryCharacters}
          value={form.q ?? ''}
          onInput={({ currentTarget }) => set({ q: currentTarget.value })}
        />
        <button type="submit" class="primary">
          Ask
        </button>
      </div>
      <div class="filters">
        <Field label="Namespace">
          <input
            value={form.ns ?? ''}
            placeholder="The root"
            onInput={({ currentTarget }) => set({ ns: currentTarget.value })}
          />
        </Field>
        {status.parts.agents.length > 0 && (
          <>
            <Field label="As the agent">
              <select value={form.agent ?? ''} onChange={({ currentTarget }) => set({ agent: currentTarget.value })}>
                <option value="">None</option>
                {status.parts.agents.map((agent) => (
                  <option key={agent}>{agent}</option>
                ))}
              </select>
            </Field>
            <Field label="For the user">
              <input value={form.user ?? ''} onInput={({ currentTarget }) => set({ user: currentTarget.value })} />
            </Field>
          </>
        )}
        <Field label="At most">
          <input
            type="number"
            min="1"
            max="50"
            value={form.limit ?? ''}
            placeholder="10"
            onInput={({ currentTarget }) => set({ limit: currentTarget.value })}
          />
        </Field>
        <div class="checks">
          <label class="check">
            <input
              type="checkbox"
              checked={form.deep !== 'no'}
              onChange={({ currentTarget }) => set({ deep: currentTarget.checked ? undefined : 'no' })}
            />
            Namespaces below
          </label>
        </div>
      </div>
    </form>
  );
}

function AnswerShown({ answer, question }: { readonly answer: Answer; readonly question: string }) {
  const { hits, block, blockTokens, tookMs } = answer;
  if (hits.length === 0) {
    return (
      <Empty title="Nothing is recalled">
        No memory shares a word with the question. Ask in other words, or choose another namespace.
      </Empty>
    );
  }
  const best = Math.max(...hits.map(({ score }) => score));
  return (
    <div class="answer">
      <section aria-label="Recalled memories">
        <h2>
          Recalled{' '}
          <span class="muted figures">{`${plural(hits.length, 'memory', 'memories')} in ${formatCount(Math.max(1, Math.round(tookMs)))} ms`}</span>
        </h2>
        <ol class="hits">
          {hits.map((hit) => (
            <Hit key={`${hit.namespace} ${hit.id}`} hit={hit} best={best} hasBlock={block !== undefined} />
          ))}
        </ol>
      </section>
      <section class="block" aria-label="What a model gets">
        <h2>
          What a model gets <span class="muted figures">{formatCount(blockTokens)} tokens</span>
        </h2>
        {block ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it
          <pre tabIndex={0}>
            <Text text={block.truncated ? `${block.text}…` : block.text} />
          </pre>
        ) : (
          <p class="muted">
            Nothing. A model gets the memories of exactly one namespace: choose the one that the agent uses, such as{' '}
            <a href={href('ask', { ns: hits[0]?.namespace, q: question })}>
              <Text text={hits[0]?.namespace || 'the root'} limit={80} />
            </a>
            .
          </p>
        )}
        <p class="hint">Tokens are estimated.</p>
      </section>
    </div>
  );
}
