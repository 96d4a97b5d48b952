import { useState } from 'preact/hooks';
import { LIMITS } from '../../../src/protocol.ts';
import { go, type Params } from '../shell/router.ts';
import { Field } from '../ui/field.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { countFilters, isDeep } from './selection.ts';

/** The search field, and the filters that are folded below it. */
export function FilterBar({ params }: { readonly params: Params }) {
  const set = (change: Params) => go('memories', { ...params, ...change, id: undefined, at: undefined }, 'replace');
  const filters = countFilters(params);
  const [isOpen, setOpen] = useState(filters > 0);
  return (
    <search class="filter-bar">
      <div class="search-line">
        <SearchBox
          label="Search memories"
          value={params.q ?? ''}
          maxLength={LIMITS.queryCharacters}
          search={(q) => set({ q, sort: undefined })}
          onKeyDown={({ key }) => key === 'ArrowDown' && document.querySelector<HTMLElement>('.table')?.focus()}
        />
        <button type="button" aria-expanded={isOpen} aria-controls="filters" onClick={() => setOpen(!isOpen)}>
          Filters{filters > 0 && <span class="count">{filters}</span>}
        </button>
      </div>
      <div class="filters" id="filters" hidden={!isOpen}>
        <Field label="Kind">
          <select value={params.kind ?? ''} onChange={({ currentTarget }) => set({ kind: currentTarget.value })}>
            <option value="">Any</option>
            <option value="utterance">Utterance</option>
            <option value="fact">Fact</option>
            <option value="summary">Summary</option>
          </select>
        </Field>
        <FilterText label="Speaker" value={params.speaker} set={(speaker) => set({ speaker })} />
        <FilterText label="Conversation" value={params.conversation} set={(conversation) => set({ conversation })} />
        <FilterText label="Run" value={params.run} set={(run) => set({ run })} />
        <FilterText label="From" type="date" value={params.from} set={(from) => set({ from })} />
        <FilterText label="Until" type="date" value={params.to} set={(to) => set({ to })} />
        <FilterText label="Metadata field" value={params.field} set={(field) => set({ field })} />
        <FilterText label="Metadata value" value={params.value} set={(value) => set({ value })} />
        <FilterText label="As it was on" type="date" value={params.asof} set={(asof) => set({ asof })} />
        <div class="checks">
          <label class="check">
            <input
              type="checkbox"
              checked={isDeep(params)}
              onChange={({ currentTarget }) => set({ deep: currentTarget.checked ? undefined : 'no' })}
            />
            Namespaces below
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={params.closed === 'yes'}
              disabled={Boolean(params.q)}
              onChange={({ currentTarget }) => set({ closed: currentTarget.checked ? 'yes' : undefined })}
            />
            Superseded ones
          </label>
        </div>
        <button
          type="button"
          class="quiet"
          disabled={filters === 0}
          onClick={() => go('memories', only(params, 'ns', 'q', 'deep'))}
        >
          Clear filters
        </button>
      </div>
    </search>
  );
}

interface FilterTextProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly set: (value: string) => void;
  readonly type?: 'text' | 'date';
}

function FilterText({ label, value = '', set, type = 'text' }: FilterTextProps) {
  return (
    <Field label={label}>
      {type === 'date' ? (
        <input type="date" value={value} onChange={({ currentTarget }) => set(currentTarget.value)} />
      ) : (
        <input value={value} onChange={({ currentTarget }) => set(currentTarget.value)} />
      )}
    </Field>
  );
}

function only(params: Params, ...names: readonly string[]): Params {
  return Object.fromEntries(names.map((name) => [name, params[name]]));
}
