import { serve } from '../child.ts';
import { type SessionFactsJob, sessionFacts } from '../sessions/session-facts.ts';

/* Measures the memory and the file reads of a session. */

serve<SessionFactsJob>(sessionFacts);
