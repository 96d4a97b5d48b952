import type { ErasedCounts } from '../../../src/protocol.ts';
import { formatCount } from '../ui/format.ts';

const NAMES: Readonly<Record<keyof ErasedCounts, string>> = {
  memories: 'Memories',
  outboxRecords: 'Turns not yet saved',
  sharedEntries: 'Shared entries',
  damagedEntries: 'Damaged entries',
  unidentified: 'Unidentified (damaged)',
  sessions: 'Sessions',
  sessionItems: 'Items of sessions',
  conversations: 'Conversations',
  runs: 'Runs',
  profiles: 'Profiles',
};

/** How much of each there is. */
export function Counts({ counts }: { readonly counts: ErasedCounts }) {
  return (
    <dl class="counts">
      {Object.entries(NAMES).map(([name, label]) => {
        const count = counts[name as keyof ErasedCounts];
        return (
          <div key={name} class={count === 0 ? 'faint' : undefined}>
            <dt>{label}</dt>
            <dd class="figures">{formatCount(count)}</dd>
          </div>
        );
      })}
    </dl>
  );
}
