import { serve } from '../child.ts';
import { type SessionFactsJob, sessionFacts } from '../sessions/session-facts.ts';

/* Measures what a session holds and reads. */

serve<SessionFactsJob>(sessionFacts);
