import type { RecordDetail } from '../../../src/protocol.ts';
import { href, type Params } from '../shell/router.ts';
import { Pair } from '../ui/pair.tsx';
import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';

/** Where a memory comes from and since when it holds. What is known twice is shown once. */
export function Provenance({ record, params }: { readonly record: RecordDetail; readonly params: Params }) {
  const { source = {}, turn } = record;
  const speaker = source.speaker ?? turn?.speaker;
  const conversation = source.conversation ?? turn?.thread;
  return (
    <section>
      <h3>Where it comes from</h3>
      <dl class="pairs">
        <Pair label="Namespace">
          <a href={href('memories', { ns: record.namespace })}>
            {record.namespace === '' ? 'The root' : <Text text={record.namespace} />}
          </a>
        </Pair>
        <Pair label="Id">
          <span class="mono">
            <Text text={record.id} />
          </span>
        </Pair>
        <Pair label="Kind">{source.kind}</Pair>
        <Pair label="Speaker">{speaker && <Text text={speaker} />}</Pair>
        <Pair label="Conversation">
          {conversation && (
            <a href={href('memories', { ns: params.ns, conversation })}>
              <Text text={conversation} />
            </a>
          )}
        </Pair>
        <Pair label="Run">
          {source.run && (
            <a href={href('memories', { ns: params.ns, run: source.run })}>
              <Text text={source.run} />
            </a>
          )}
        </Pair>
        <Pair label="Created">{record.createdAt && <Time at={record.createdAt} seconds />}</Pair>
        <Pair label="Updated">
          {record.updatedAt !== record.createdAt && record.updatedAt && <Time at={record.updatedAt} seconds />}
        </Pair>
        <Pair label="Holds since">{record.validFrom && <Time at={record.validFrom} seconds />}</Pair>
        <Pair label="Held until">{record.validUntil && <Time at={record.validUntil} seconds />}</Pair>
        <Pair label="Expires">{record.expiresAt && <Time at={record.expiresAt} seconds />}</Pair>
        <Pair label="Version">{record.puts}</Pair>
      </dl>
    </section>
  );
}
