import { PATHS, type WorkspaceView as Workspace } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { usePanel } from '../shell/context.ts';
import { href, type Params } from '../shell/router.ts';
import { LongText } from '../ui/long-text.tsx';
import { Split } from '../ui/split.tsx';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { ShortText, Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { FilePane } from './file-pane.tsx';

/** What was distilled from runs into files, and the rollouts that each bullet rests on. */
export function WorkspaceView({ params }: { readonly params: Params }) {
  const { status } = usePanel();
  if (status.parts.workspace) return <Contents params={params} />;
  return (
    <div class="view">
      <h1>Workspace</h1>
      <Empty title="The configuration has no workspace">
        Add <code>workspace</code> to <code>keepsake.config.ts</code> to see the files that runs are distilled into.
      </Empty>
    </div>
  );
}

function Contents({ params }: { readonly params: Params }) {
  const { data, error, reload } = useLoaded('workspace', (signal) => get<Workspace>(PATHS.workspace, {}, signal));
  const { file, rollout } = params;
  return (
    <Split
      label="File"
      back={href('workspace')}
      backLabel="Workspace"
      hint={data && <Instructions workspace={data} />}
      list={
        <>
          <h1>Workspace</h1>
          {error && <Failure error={error} retry={reload} />}
          {!data && !error && <Skeleton lines={8} />}
          {data && <Lists workspace={data} file={file} rollout={rollout} />}
        </>
      }
      detail={
        file ? (
          <FilePane key={file} path={file} />
        ) : rollout && data ? (
          <Rollout workspace={data} id={rollout} />
        ) : undefined
      }
    />
  );
}

interface ListsProps {
  readonly workspace: Workspace;
  readonly file: string | undefined;
  readonly rollout: string | undefined;
}

function Lists({ workspace: { files, rollouts }, file, rollout }: ListsProps) {
  return (
    <>
      <h2 class="pane-title">Files</h2>
      <ul class="rows-list flat">
        {files.map(({ path }) => (
          <li key={path}>
            <a href={href('workspace', { file: path })} aria-current={path === file ? 'true' : undefined}>
              <span class="row-title mono">
                <Text text={path} limit={300} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {files.length === 0 && (
        <Empty title="There are no files yet">
          <code>keepsake workspace generate</code> distils the runs of an agent into files.
        </Empty>
      )}
      <h2 class="pane-title">Rollouts</h2>
      <ul class="rows-list flat">
        {rollouts.map(({ rolloutId, status, updatedAt }) => (
          <li key={rolloutId}>
            <a
              href={href('workspace', { rollout: rolloutId })}
              aria-current={rolloutId === rollout ? 'true' : undefined}
            >
              <span class="row-title">
                <Text text={rolloutId} limit={200} />
              </span>
              <span class="row-meta">
                <Text text={status} limit={60} />
                {updatedAt && <Time at={updatedAt} />}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {rollouts.length === 0 && <p class="muted">None yet.</p>}
    </>
  );
}

function Instructions({ workspace }: { readonly workspace: Workspace }) {
  return (
    <>
      <h2 class="detail-title">What the next run reads</h2>
      {workspace.instructions.length === 0 ? (
        <p class="muted">Nothing yet.</p>
      ) : (
        <div class="prose">
          <LongText shown={workspace.instructions} />
        </div>
      )}
    </>
  );
}

function Rollout({ workspace, id }: { readonly workspace: Workspace; readonly id: string }) {
  const rollout = workspace.rollouts.find(({ rolloutId }) => rolloutId === id);
  if (rollout === undefined) return <Empty title="This rollout does not exist" />;
  const { status, updatedAt, summaryPath, error } = rollout;
  return (
    <>
      <h2 class="detail-title">
        <Text text={id} />
      </h2>
      <p class="meta">
        <span class="badge">
          <Text text={status} limit={60} />
        </span>
        {updatedAt && <Time at={updatedAt} />}
      </p>
      {error && (
        <p class="banner failed">
          <ShortText shown={error} />
        </p>
      )}
      {summaryPath ? <FilePane path={summaryPath} /> : <p class="muted">It has no summary.</p>}
    </>
  );
}
