import type { HealthCheck } from '../../../src/protocol.ts';
import { formatCount } from '../ui/format.ts';

const PARTS: Readonly<Record<HealthCheck['part'], string>> = {
  memory: 'Memory store',
  sessions: 'Sessions',
  conversations: 'Conversations',
  space: 'Users and agents',
  workspace: 'Workspace',
};

/** Each part of the configuration, and how fast it answered. */
export function Checks({ checks }: { readonly checks: readonly HealthCheck[] }) {
  return (
    <section>
      <h2>Parts</h2>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Answered in
            </th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check) => (
            <tr key={check.part}>
              <th scope="row">{PARTS[check.part]}</th>
              <td>
                <State check={check} />
              </td>
              <td class="number figures">{formatCount(Math.max(1, Math.round(check.latencyMs)))} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function State({ check: { ok, slow, error } }: { readonly check: HealthCheck }) {
  if (!ok) {
    return (
      <>
        <span class="badge status-error">failing</span> {error?.message}
      </>
    );
  }
  return slow ? <span class="badge status-paused">slow</span> : <span class="badge status-completed">working</span>;
}
