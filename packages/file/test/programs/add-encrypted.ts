// Adds items to an encrypted session and pops some of them. The arguments are the directory, the key in hex and a name.
import { encrypted } from '@keepsake/privacy';
import { FileSession } from '../../src/index.ts';

const [directory = '', key = '', name = ''] = process.argv.slice(2);
const session = encrypted(new FileSession({ directory, sessionId: 'chat' }), {
  current: 'k1',
  keys: { k1: Uint8Array.from(Buffer.from(key, 'hex')) },
});
let popped = 0;
for (let n = 0; n < 30; n++) {
  await session.addItems([{ name, n }]);
  if (n % 10 === 9 && (await session.popItem()) !== undefined) popped++;
}
console.log(popped);
