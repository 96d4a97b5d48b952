import { THIS_PROCESS } from '@keepsake/internal/node';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkLayout, Paths } from '../src/files/layout.ts';
import { Ledger } from '../src/files/ledger.ts';
import type { Workspace } from '../src/index.ts';
import { PLACES } from './support/places.ts';

const directory = useDirectory();
const paths = new Paths(checkLayout());
const files = ['memories/1.md', 'memories/2.md', 'memories/3.md'];

/** A workspace that fails from its n-th write on, as if its process were killed. */
function failingAt(workspace: Workspace, n: number): Workspace {
  let writes = 0;
  const write = async <T>(change: () => Promise<T>) => {
    if (++writes >= n) throw new Error('killed');
    return change();
  };
  return {
    ...workspace,
    write: (...args) => write(() => workspace.write(...args)),
    delete: (...args) => write(() => workspace.delete(...args)),
  };
}

describe.each(PLACES)('changes in %s', (_, openIn) => {
  const change = async (ledger: Ledger, text: string) =>
    ledger.commit(async () => {
      const bases = await Promise.all(files.map(async (path) => (await ledger.read(path))?.version ?? null));
      return files.map((path, index) => ({
        path,
        base: bases[index],
        text: index === 2 && text === 'after' ? null : text,
      }));
    });

  it('are all visible or none, to every reader, wherever they are interrupted', async () => {
    const workspace = openIn(directory.path);
    const readAll = async (ledger: Ledger) => Promise.all(files.map(async (path) => (await ledger.read(path))?.text));
    const seen = new Set<string>();
    for (let n = 1; n <= 6; n++) {
      await change(new Ledger(workspace, paths), 'before');
      const end = await change(new Ledger(failingAt(workspace, n), paths), 'after').then(
        () => 'done',
        () => 'interrupted',
      );
      const reader = new Ledger(workspace, paths);
      const text = await readAll(reader);
      expect([
        ['before', 'before', 'before'],
        ['after', 'after', undefined],
      ]).toContainEqual(text);
      if (end === 'done') expect(text[0]).toBe('after');
      expect([...(await reader.snapshot('memories')).values()].map((file) => file.text)).toEqual(text.filter(Boolean));
      expect(await readAll(reader)).toEqual(text);
      seen.add(`${end} ${text[0]}`);
    }
    expect([...seen].sort()).toEqual(['done after', 'interrupted after', 'interrupted before']);
  });

  it('require the lease, which has one holder at a time, and fail after it was lost', async () => {
    const workspace = openIn(directory.path);
    const [one, other] = [new Ledger(workspace, paths), new Ledger(workspace, paths)];
    const first = await one.lease();
    let taken = false;
    const second = other.lease().then((lease) => {
      taken = true;
      return lease;
    });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(taken).toBe(false);
    await first.release();
    const lease = await second;
    expect(lease.fence).toBe(first.fence + 1);
    const write = async () => [{ path: 'memories/1.md', base: undefined, text: 'stale' }];
    await expect(one.commit(write, first)).rejects.toMatchObject({ code: 'CONFLICT' });
    await other.commit(write, lease);
    await lease.release();
  });

  it('take over the lease at once from a process that has ended', async () => {
    const workspace = openIn(directory.path);
    const ledger = new Ledger(workspace, paths);
    await (await ledger.lease()).release();
    const control = await workspace.read('memories/.keepsake.json');
    const { host } = THIS_PROCESS;
    const dead = { ...JSON.parse(control?.text ?? ''), holder: { host, pid: 2 ** 22 - 1, start: '1', id: 'x' } };
    await workspace.write('memories/.keepsake.json', JSON.stringify(dead));
    const lease = await ledger.lease();
    expect(lease.fence).toBe(dead.fence + 1);
    await lease.release();
  });

  it('are aborted at the next heartbeat if the lease was taken over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const workspace = openIn(directory.path);
    const lease = await new Ledger(workspace, paths).lease();
    const control = await workspace.read('memories/.keepsake.json');
    const taken = { ...JSON.parse(control?.text ?? ''), fence: lease.fence + 1 };
    await workspace.write('memories/.keepsake.json', JSON.stringify(taken));
    vi.advanceTimersByTime(2_000);
    await vi.waitFor(() => expect(lease.signal.reason).toMatchObject({ code: 'CONFLICT' }), { timeout: 60_000 });
    await lease.release();
  });

  it('do not overwrite concurrent edits by hand', async () => {
    const workspace = openIn(directory.path);
    const ledger = new Ledger(workspace, paths);
    await change(ledger, 'before');
    const { version = '' } = (await workspace.read('memories/1.md')) ?? {};
    const stale = async () => {
      await workspace.write('memories/1.md', 'by hand');
      return [{ path: 'memories/1.md', base: version, text: 'by us' }];
    };
    await expect(ledger.commit(stale)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await ledger.read('memories/1.md'))?.text).toBe('by hand');
  });
});
