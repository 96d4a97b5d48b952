import { PATHS, type WorkspaceFileView } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { href } from '../shell/router.ts';
import { plural } from '../ui/format.ts';
import { LongText } from '../ui/long-text.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';

/** A file. Beside each bullet of a Markdown file: the rollouts that it rests on. */
export function FilePane({ path }: { readonly path: string }) {
  const load = (offset: number, signal?: AbortSignal) =>
    get<WorkspaceFileView>(PATHS.workspaceFile, { path, offset }, signal);
  const { data, error, reload } = useLoaded(path, (signal) => load(0, signal));
  return (
    <>
      <h2 class="detail-title mono">
        <Text text={path} />
      </h2>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && !data.blocks && (
        <div class="record-text mono">
          <LongText
            shown={{ text: data.text, length: data.length, truncated: data.nextOffset !== undefined }}
            load={load}
          />
        </div>
      )}
      {data?.blocks && <Blocks blocks={data.blocks} />}
    </>
  );
}

function Blocks({ blocks }: { readonly blocks: NonNullable<WorkspaceFileView['blocks']> }) {
  return (
    <div class="blocks">
      {blocks.map(({ kind, text, rollouts }, index) => (
        <div class={`block-line ${kind}`} key={index}>
          <div class="block-text">
            <Text text={text} />
          </div>
          {rollouts.length > 0 && (
            <ul class="rests-on" aria-label={`Rests on ${plural(rollouts.length, 'rollout')}`}>
              {rollouts.map((rollout) => (
                <li key={rollout}>
                  <a href={href('workspace', { rollout })}>
                    <Text text={rollout} limit={60} />
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </div>
  );
}
