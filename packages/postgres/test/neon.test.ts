import { byDay } from '@keepsake/testing/share';
import { describeSessions, describeStores } from './kit.ts';

// Neon's `Pool`, over WebSockets, stands for all drivers with the interface of `pg`. What differs by driver: values and rows.
const CONCERNS = ['Putting', 'Replacing', 'Deleting', 'Searching'];

describeStores('Neon', {}, byDay({ concerns: CONCERNS }));
describeSessions('Neon', {}, byDay({ concerns: ['reading', 'popping', 'JSON values', 'transactions'] }));
