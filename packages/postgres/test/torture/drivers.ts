import { byDay } from '@keepsake/testing/share';
import { SERVER_DRIVERS, type ServerDriver } from '../connect-to.ts';

/** By day one driver: all send the same statements. */
export const TORTURED: readonly ServerDriver[] =
  byDay<{ drivers: readonly ServerDriver[] }>({ drivers: ['pg'] }).drivers ?? SERVER_DRIVERS;
