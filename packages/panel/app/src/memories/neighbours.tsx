import type { RecordDetail } from '../../../src/protocol.ts';
import { href, type Params } from '../shell/router.ts';
import { ShortText, Text } from '../ui/text.tsx';

/** What was said around it. */
export function Neighbours({ record, params }: { readonly record: RecordDetail; readonly params: Params }) {
  const { neighbours } = record;
  if (neighbours.length < 2) return null;
  const own = neighbours.findIndex(({ id }) => id === record.id);
  return (
    <section>
      <h3>In the conversation</h3>
      <ol class="neighbours">
        {neighbours.map((turn, position) => (
          <li key={turn.id} aria-current={turn.id === record.id ? 'true' : undefined}>
            <span class="figures muted">{distance(position - own)}</span>
            <span class="speaker">{turn.speaker ? <Text text={turn.speaker} limit={60} /> : ''}</span>
            <a href={href('memories', { ...params, id: turn.id, at: turn.namespace })}>
              <ShortText shown={turn.content} />
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** How many turns before or after it, such as `+2`. */
function distance(turns: number): string {
  if (turns === 0) return '';
  return turns < 0 ? `−${-turns}` : `+${turns}`;
}
