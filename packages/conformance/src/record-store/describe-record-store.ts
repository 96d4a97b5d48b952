import type { StoreCapabilities } from '@keepsake/core';
import { describeCases, type Subject } from '../kit.ts';
import { recordStoreCases } from './cases.ts';
import { type RecordStoreHarness, settling } from './harness.ts';

/** Tests a backend against every promise of `RecordStore`. Anything outside its capabilities must be refused. */
export function describeRecordStore(subject: Subject<RecordStoreHarness, StoreCapabilities>): void {
  const harness = async () => settling(await subject.harness());
  describeCases('record store', recordStoreCases, { ...subject, harness });
}
