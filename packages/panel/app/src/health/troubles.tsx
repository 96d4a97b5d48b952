import type { Health } from '../../../src/protocol.ts';
import { href } from '../shell/router.ts';
import { formatCount, plural } from '../ui/format.ts';
import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';

export function Outbox({ outbox }: { readonly outbox: Health['outbox'] }) {
  return (
    <section>
      <h2>Outbox</h2>
      {outbox.length === 0 ? (
        <p class="muted">Empty: all turns are saved.</p>
      ) : (
        <ul class="places">
          {outbox.map(({ namespace, recordCount }) => (
            <li key={namespace}>
              <a href={href('memories', { ns: namespace })}>
                <Text text={namespace} />
              </a>
              <span class="figures">{formatCount(recordCount)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function DeadLetters({ letters }: { readonly letters: Health['deadLetters'] }) {
  return (
    <section>
      <h2>Dead letters</h2>
      {letters.length === 0 ? (
        <p class="muted">None: memories were made of all messages.</p>
      ) : (
        <ul class="troubles">
          {letters.map(({ namespace, storeName, thread, failedAt, error }) => (
            <li key={`${namespace} ${thread} ${failedAt}`}>
              <p>
                {error.code && <span class="code">{error.code}</span>} <Text text={error.message} limit={400} />
              </p>
              <p class="meta muted">
                <Text text={storeName} limit={60} />
                <Text text={thread} limit={120} />
                <a href={href('memories', { ns: namespace })}>
                  <Text text={namespace} limit={120} />
                </a>
                <Time at={failedAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function Problems({ problems, moreProblems }: NonNullable<Health['files']>) {
  return (
    <section>
      <h2>Files</h2>
      {problems.length === 0 ? (
        <p class="muted">All files can be read.</p>
      ) : (
        <>
          <ul class="troubles">
            {problems.map(({ kind, message, where, repairable }) => (
              <li key={`${kind} ${where} ${message}`}>
                <p>
                  <Text text={message} limit={400} />
                </p>
                <p class="meta muted">
                  <span>{kind}</span>
                  <Text text={where} limit={200} />
                  <span>{repairable ? 'can be repaired' : 'cannot be repaired'}</span>
                </p>
              </li>
            ))}
          </ul>
          {moreProblems > 0 && <p class="muted">And {plural(moreProblems, 'more problem')}.</p>}
          <p class="hint">
            <code>keepsake doctor --repair --directory</code> with the directory of the files repairs what can be
            repaired, and keeps the remains beside it.
          </p>
        </>
      )}
    </section>
  );
}
