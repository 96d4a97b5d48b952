import { useState } from 'preact/hooks';
import { go, href, type Params } from '../shell/router.ts';
import { formatCount } from '../ui/format.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { type TreeLine, useTree } from './use-tree.ts';

/** The tree of namespaces, with how many memories each has. */
export function NamespacePane({ params, changes }: { readonly params: Params; readonly changes: number }) {
  const current = params.ns ?? '';
  const tree = useTree(current, changes);
  const [isShown, setShown] = useState(false);
  const [active, setActive] = useState<string>();
  const { lines } = tree;
  const focused = lines.find(({ key }) => key === active) ?? lines.find(({ name }) => name === current) ?? lines[0];

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || focused === undefined) return;
    const to = lines[targetOf(event.key, lines, focused)];
    if (event.key === 'Enter' || event.key === ' ') choose(focused);
    else if (event.key === 'ArrowRight' && focused.isOpen === false) tree.open(focused.name);
    else if (event.key === 'ArrowLeft' && focused.isOpen && focused.name !== '') tree.close(focused.name);
    else if (to !== undefined) {
      setActive(to.key);
      document.getElementById(`tree-${to.key}`)?.focus();
    } else return;
    event.preventDefault();
  };
  const choose = (line: TreeLine) => {
    setActive(line.key);
    if (line.more) return tree.loadMore(line.name);
    go('memories', { ns: line.name, q: params.q, deep: params.deep });
    if (line.isOpen === false) tree.open(line.name);
    setShown(false);
  };

  return (
    <section class={isShown ? 'namespaces shown' : 'namespaces'} aria-label="Namespaces">
      <button type="button" class="namespaces-toggle" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        <span class="muted">Namespace</span> <Text text={current || 'All'} limit={80} />
      </button>
      <h2 class="pane-title">Namespaces</h2>
      {tree.error && <Failure error={tree.error} retry={tree.reload} />}
      {lines.length === 0 && !tree.error && <Skeleton lines={4} />}
      {/* biome-ignore lint/a11y: a tree is a role, not an element */}
      <ul role="tree" aria-label="Namespaces" onKeyDown={press}>
        {lines.map((line) => (
          // biome-ignore lint/a11y: the tree takes the keys
          <li
            key={line.key}
            id={`tree-${line.key}`}
            role="treeitem"
            aria-level={line.depth + 1}
            aria-expanded={line.isOpen}
            aria-selected={!line.more && line.name === current}
            tabIndex={line === focused ? 0 : -1}
            class={line.more ? 'tree-line more' : 'tree-line'}
            style={{ paddingInlineStart: `${8 + line.depth * 14}px` }}
            title={line.name}
            onClick={() => choose(line)}
          >
            <span
              class={line.isOpen === undefined ? 'twig' : line.isOpen ? 'twig open' : 'twig closed'}
              aria-hidden="true"
              onClick={(event) => {
                if (line.isOpen === undefined || line.name === '') return;
                event.stopPropagation();
                if (line.isOpen) tree.close(line.name);
                else tree.open(line.name);
              }}
            />
            <span class="tree-label">
              {line.name === '' ? 'All' : <Text text={line.label} limit={120} />}
              {line.kind && line.kind !== 'other' && line.kind !== 'private' && <small>{line.kind}</small>}
            </span>
            {!line.more && (
              <span class="figures muted">
                {formatCount(line.count)}
                {line.countMore ? '+' : ''}
              </span>
            )}
          </li>
        ))}
      </ul>
      {lines.length === 1 && lines[0]?.childCount === 0 && (
        <p class="hint">
          Namespaces appear here when agents keep memories apart, for example by user.{' '}
          <a href={href('health')}>Health</a> shows what the configuration opens.
        </p>
      )}
    </section>
  );
}

function targetOf(key: string, lines: readonly TreeLine[], from: TreeLine): number {
  const index = lines.indexOf(from);
  if (key === 'ArrowDown') return index + 1;
  if (key === 'ArrowUp') return index - 1;
  if (key === 'Home') return 0;
  if (key === 'End') return lines.length - 1;
  if (key === 'ArrowRight' && from.isOpen) return index + 1;
  // Its parent is the nearest line before it that is less deep.
  if (key === 'ArrowLeft') return lines.findLastIndex(({ depth }, at) => at < index && depth < from.depth);
  return -1;
}
