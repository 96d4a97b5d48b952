import { sessionConcerns } from '@keepsake/suites/variants';
import { describeSessions } from './session-kit.ts';

describeSessions('PGlite', sessionConcerns('client'));
