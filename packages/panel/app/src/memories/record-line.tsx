import type { RecordRow } from '../../../src/protocol.ts';
import { formatScore } from '../ui/format.ts';
import { ShortText, Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { memo } from './memo.ts';
import type { Selected } from './use-selected.ts';

interface RecordLineProps {
  readonly row: RecordRow;
  readonly index: number;
  readonly top: number;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  /** Missing where rows can't be selected. */
  readonly selected: Selected | undefined;
  readonly deep: boolean;
  readonly scored: boolean;
  readonly href: string;
  readonly activate: (index: number) => void;
}

/** One memory: a row of the table, or a card where the table is narrow. */
export const RecordLine = memo(function RecordLine(props: RecordLineProps) {
  const { row, index, top, isActive, isOpen, isSelected, selected, deep, scored, href, activate } = props;
  const classes = ['line', isActive && 'active', isOpen && 'open', (row.buried || row.validUntil) && 'faint'];
  return (
    // biome-ignore lint/a11y: a row of a grid, which takes the keys
    <div
      class={classes.filter(Boolean).join(' ')}
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected ? isSelected : undefined}
      style={{ transform: `translateY(${top}px)` }}
      onClick={(event) => {
        activate(index);
        if (!(event.target as HTMLElement).closest('a, input')) location.hash = href;
      }}
    >
      {selected && (
        <span class="cell tick" role="gridcell">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select memory ${index + 1}`}
            checked={isSelected}
            onClick={(event) => (event.shiftKey ? selected.extendTo(row) : selected.toggle(row))}
          />
        </span>
      )}
      {scored && (
        <span class="cell score figures" role="gridcell">
          {row.score === undefined ? '' : formatScore(row.score)}
        </span>
      )}
      <span class="cell content" role="gridcell">
        <a href={href} tabIndex={-1}>
          {row.excerpt === undefined ? <ShortText shown={row.content} /> : <Text text={row.excerpt} limit={400} />}
        </a>
      </span>
      {deep && (
        <span class="cell place" role="gridcell" title={row.namespace}>
          <Text text={row.namespace} limit={120} />
        </span>
      )}
      <span class="cell kind" role="gridcell">
        {row.validUntil ? 'superseded' : row.buried ? 'buried' : row.kind}
      </span>
      <span class="cell speaker" role="gridcell">
        {row.speaker && <Text text={row.speaker} limit={60} />}
      </span>
      <span class="cell created" role="gridcell">
        {row.createdAt && <Time at={row.createdAt} />}
      </span>
    </div>
  );
});
