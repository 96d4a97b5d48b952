import { setup } from '@keepsake/postgres';
import { pool } from './database.ts';

// Keepsake's tables go into a schema of their own. Run it again after an update.
await setup(pool, { schema: 'memory' });
// Drizzle Kit would do this.
await pool.query(`CREATE TABLE IF NOT EXISTS chats (
  user_id text, chat text, title text NOT NULL, updated_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (user_id, chat)
)`);
await pool.end();
