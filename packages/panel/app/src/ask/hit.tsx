import type { AnswerHit } from '../../../src/protocol.ts';
import { href } from '../shell/router.ts';
import { formatScore } from '../ui/format.ts';
import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';

interface HitProps {
  readonly hit: AnswerHit;
  /** The score of the best one. */
  readonly best: number;
  /** Whether a model gets any of them. */
  readonly hasBlock: boolean;
}

/** One recalled memory, with the parts of its score as bars on one scale. */
export function Hit({ hit, best, hasBlock }: HitProps) {
  const { namespace, id, rank, score, explanation, injected, excerpt, content, createdAt, speaker } = hit;
  return (
    <li class={injected || !hasBlock ? 'hit' : 'hit faint'}>
      <span class="rank figures">{rank}</span>
      <div>
        <a class="hit-text" href={href('memories', { ns: namespace, id, at: namespace })}>
          <Text text={excerpt ?? content.text} limit={400} />
        </a>
        <p class="meta muted">
          {namespace !== '' && <Text text={namespace} limit={80} />}
          {speaker && <Text text={speaker} limit={60} />}
          {createdAt && <Time at={createdAt} />}
          {!injected && hasBlock && <span class="badge">not in the block</span>}
        </p>
        {explanation ? (
          <Explanation {...explanation} best={best} score={score} />
        ) : (
          <p class="hint">Score {formatScore(score)}. This store does not explain its scores.</p>
        )}
      </div>
    </li>
  );
}

type ExplanationProps = NonNullable<AnswerHit['explanation']> & { readonly best: number; readonly score: number };

function Explanation({ sum, factors, best, score }: ExplanationProps) {
  const terms = Object.entries(sum).filter(([, value]) => value !== 0);
  return (
    <table class="explanation">
      <caption class="hidden">How the score comes about</caption>
      <tbody>
        {terms.map(([signal, value]) => (
          <tr key={signal}>
            <th scope="row">
              <Text text={signal} limit={60} />
            </th>
            <td class="figures">{formatScore(value)}</td>
            <td class="bar">
              <span style={{ inlineSize: `${Math.min(100, Math.max(0, (value / best) * 100))}%` }} />
            </td>
          </tr>
        ))}
        {Object.entries(factors)
          .filter(([, value]) => value !== 1)
          .map(([signal, value]) => (
            <tr key={signal}>
              <th scope="row">
                <Text text={signal} limit={60} />
              </th>
              <td class="figures">× {formatScore(value)}</td>
              <td />
            </tr>
          ))}
        <tr class="total">
          <th scope="row">Score</th>
          <td class="figures">{formatScore(score)}</td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}
