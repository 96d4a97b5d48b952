import { PATHS, type WorkspaceFileView } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { usePages } from '../api/use-pages.ts';
import { href } from '../shell/router.ts';
import { plural } from '../ui/format.ts';
import { More } from '../ui/more.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';

/** A file, piece by piece. Beside each bullet of a Markdown file: the rollouts that it rests on. */
export function FilePane({ path }: { readonly path: string }) {
  const pieces = usePages<WorkspaceFileView>(path, async (cursor, signal) => {
    const piece = await get<WorkspaceFileView>(PATHS.workspaceFile, { path, offset: cursor }, signal);
    return { items: [piece], ...(piece.nextOffset !== undefined && { cursor: String(piece.nextOffset) }) };
  });
  return (
    <>
      <h2 class="detail-title mono">
        <Text text={path} />
      </h2>
      {pieces.items.length === 0 && pieces.loading && <Skeleton lines={8} />}
      {pieces.items.map(({ offset, text, blocks }) =>
        blocks ? (
          <Blocks key={offset} blocks={blocks} />
        ) : (
          <div class="record-text long-text mono" key={offset}>
            <Text text={text} />
          </div>
        ),
      )}
      <More pages={pieces} what="of this file" />
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
