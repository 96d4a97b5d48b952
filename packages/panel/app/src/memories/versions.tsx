import type { RecordDetail } from '../../../src/protocol.ts';
import { href, type Params } from '../shell/router.ts';
import { ShortText } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';

interface VersionsProps {
  readonly record: RecordDetail;
  readonly params: Params;
  /** Missing where versions can't be restored. */
  readonly restore: ((versionId: string) => void) | undefined;
}

/** What the memory superseded and what superseded it, oldest first. */
export function Versions({ record, params, restore }: VersionsProps) {
  const { versions } = record;
  if (versions.length < 2) return null;
  return (
    <section>
      <h3>Versions</h3>
      <ol class="versions">
        {versions.map((version) => (
          <li key={version.id} aria-current={version.id === record.id ? 'true' : undefined}>
            <a href={href('memories', { ...params, id: version.id, at: version.namespace })}>
              <ShortText shown={version.content} />
            </a>
            <span class="muted">
              {version.createdAt && <Time at={version.createdAt} />}
              {version.validUntil === undefined && <span class="badge">holds now</span>}
            </span>
            {restore && version.validUntil !== undefined && (
              <button type="button" class="quiet" onClick={() => restore(version.id)}>
                Restore
              </button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
