/*
 * Saves a small checkpoint and then a huge one after it, with a huge write, and says what it does. Arguments: BACKEND
 * ADDRESS NUMBER.
 */
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { KeepsakeSaver } from '../../src/index.ts';
import { hugeValue } from '../support/huge-value.ts';
import { openPlace } from './open-place.ts';

const [backend, address, number] = process.argv.slice(2);
const n = Number(number);
const { store, close } = await openPlace(backend, address);
const saver = new KeepsakeSaver({ store });
const put = (config: object, step: number, value: unknown) =>
  saver.put(
    config,
    { ...emptyCheckpoint(), id: uuid6(step), channel_values: { n, value }, channel_versions: { n: step, value: step } },
    { source: 'loop', step, parents: {} },
    { n: step, value: step },
  );
const small = await put({ configurable: { thread_id: `thread ${n}` } }, 1, 'small');
const value = hugeValue(n);
console.log('saving');
const huge = await put(small, 2, value);
console.log('saved');
await saver.putWrites(
  huge,
  [
    ['value', value],
    ['n', n],
  ],
  'task',
);
console.log('written');
close();
