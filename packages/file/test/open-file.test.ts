import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openFile, READ } from '../src/disk/disk.ts';

const place = useDirectory();

it('a file that cannot be examined is closed', () => {
  const path = join(place.path, 'log');
  writeFileSync(path, 'heron');
  const error = Object.assign(new Error('EIO'), { code: 'EIO' });
  const opened = vi.spyOn(fs, 'openSync');
  const closed = vi.spyOn(fs, 'closeSync');
  vi.spyOn(fs, 'fstatSync').mockImplementationOnce(() => {
    throw error;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  expect(() => openFile(path, READ)).toThrow(error);
  expect(closed.mock.calls).toEqual([[opened.mock.results[0]?.value]]);
});
