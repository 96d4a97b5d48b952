/* Resumes the agent in a process of its own. Arguments: BACKEND ADDRESS THREAD, and the AMOUNT to approve. */
import { KeepsakeSaver, KeepsakeStore } from '../../src/index.ts';
import { approve, inThread, refundGraph } from '../support/refund-graph.ts';
import { openPlace } from './open-place.ts';

const [backend, address, thread = '', amount = ''] = process.argv.slice(2);
const { store, close } = await openPlace(backend, address);
const graph = refundGraph(new KeepsakeSaver({ store }), new KeepsakeStore({ store }));
const state = await graph.invoke(approve(Number(amount)), inThread(thread));
console.log(JSON.stringify(state));
close();
