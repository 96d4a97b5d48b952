import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { generatePrismaClient } from '@keepsake/prisma-client';
import { runProgram } from '@keepsake/testing';
import { createClient } from '@libsql/client';
import { expect, it, onTestFinished } from 'vitest';

const program = join(import.meta.dirname, '../src/keepsake-prisma.ts');

/** A project with these files, which goes with its test. */
function projectOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const schemaFor = (provider: string) => `// provider = "mysql"
datasource db {
  provider = "${provider}"
}

generator client {
  provider = "prisma-client"
  output   = "../../generated"
}

model Customer {
  id Int @id
}
`;

const init = (cwd: string, ...args: string[]) => runProgram(program, ['init', ...args], { cwd });
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

it('puts models and migrations into a schema folder, so that a client can be generated and the SQL applied', async () => {
  const project = projectOf({
    'prisma/schema/main.prisma': schemaFor('sqlite'),
    'prisma/migrations/20990101000000_first/migration.sql': 'SELECT 1;',
  });
  const { status, stdout } = await init(project);
  expect(stdout).toMatch(/keepsake\.prisma: written/);
  expect(stdout).toMatch(/npx prisma generate\n.*npx prisma migrate deploy/);
  expect(stdout).not.toMatch(/schema: '/);
  expect(status).toBe(0);
  const migrations = readdirSync(join(project, 'prisma/migrations'));
  // They come after those that were there, whatever the clock says.
  expect(migrations.sort()).toEqual([
    '20990101000000_first',
    '20990101000001_keepsake_0001_sessions',
    '20990101000002_keepsake_0002_store',
    '20990101000003_keepsake_0004_ranking',
    'migration_lock.toml',
  ]);
  expect(read(project, 'prisma/migrations/migration_lock.toml')).toBe('provider = "sqlite"\n');

  const schema = join(project, 'prisma/schema');
  await generatePrismaClient([join(schema, 'main.prisma'), join(schema, 'keepsake.prisma')]);
  expect(readdirSync(join(project, 'generated/models'))).toContain('KeepsakeSession.ts');
  const database = createClient({ url: `file:${join(project, 'test.db')}` });
  for (const name of migrations.filter((one) => /^\d/.test(one))) {
    await database.executeMultiple(read(project, 'prisma/migrations', name, 'migration.sql'));
  }
  expect((await database.execute('SELECT part FROM keepsake_meta ORDER BY part')).rows).toHaveLength(2);
  database.close();
});

it('finds a schema of one file, and says that it has to become a folder', async () => {
  const project = projectOf({ 'prisma/schema.prisma': schemaFor('postgresql') });
  const { status, stdout } = await init(project);
  expect(stdout).toContain("schema: 'prisma'");
  expect(status).toBe(0);
  expect(read(project, 'prisma/keepsake.prisma')).toContain('tsvector');
  expect(readdirSync(join(project, 'prisma/migrations'))).toHaveLength(4);
});

it('goes by the configuration of Prisma, by the name that it has', async () => {
  const config = `// schema: 'commented.prisma'
import { defineConfig } from 'prisma/config';
export default defineConfig({
  schema: 'db/models',
  migrations: {
    seed: 'node seed.ts',
    path: "db/steps",
  },
});
`;
  const files = { 'db/models/main.prisma': schemaFor('sqlite'), 'prisma/schema.prisma': schemaFor('mysql') };
  const project = projectOf({ ...files, 'prisma7.config.ts': config });
  const { status, stdout } = await init(project);
  expect(stdout).not.toMatch(/schema: '|migrations: \{/);
  expect(stdout).toMatch(
    /- in prisma7\.config\.ts, .*experimental: \{ externalTables: true \}, tables: \{ external: \['keepsake_record_words', /,
  );
  expect(status).toBe(0);
  expect(read(project, 'db/models/keepsake.prisma')).toContain('model KeepsakeSession');
  expect(readdirSync(join(project, 'db/steps'))).toHaveLength(4);

  // Where it lies in a folder, its paths go from there.
  const nested = projectOf({ ...files, '.config/prisma.ts': config.replaceAll('db/', '../db/') });
  expect((await init(nested)).status).toBe(0);
  expect(readdirSync(join(nested, 'db/steps'))).toHaveLength(4);
});

it('tells Prisma to leave the tables of FTS5 alone, as the guide does', async () => {
  const { stdout } = await init(projectOf({ 'prisma/schema/main.prisma': schemaFor('sqlite') }));
  const [setting = ''] = /experimental: .*\}$/m.exec(stdout) ?? [];
  expect(setting).toContain('keepsake_record_words_idx');
  expect(read(import.meta.dirname, '../../../docs/prisma.md')).toContain(`\`${setting}\``);
});

it('says where the migrations are, where Prisma would look elsewhere', async () => {
  const files = { 'prisma/schema/main.prisma': schemaFor('postgresql'), 'prisma.config.ts': 'export default {};' };
  const { stdout } = await init(projectOf(files));
  expect(stdout).toContain(
    "- in prisma.config.ts, say where the migrations are: migrations: { path: 'prisma/migrations' }",
  );

  const within = projectOf({ ...files, 'prisma/schema/migrations/20200101000000_first/migration.sql': 'SELECT 1;' });
  expect((await init(within)).stdout).not.toContain('migrations: {');
  expect(readdirSync(join(within, 'prisma/schema/migrations'))).toHaveLength(5);
});

it('gives the models the schema of PostgreSQL that every model is to name', async () => {
  for (const [schemas, own] of [
    ['["auth", "public"]', 'public'],
    ['["app"]', 'app'],
  ]) {
    const schema = schemaFor('postgresql')
      .replace('provider = "postgresql"', `provider = "postgresql"\n  schemas  = ${schemas}`)
      .replace('id Int @id', `id Int @id\n  @@schema("${own}")`);
    const project = projectOf({ 'prisma/schema/main.prisma': schema });
    await init(project);
    const folder = join(project, 'prisma/schema');
    await generatePrismaClient([join(folder, 'main.prisma'), join(folder, 'keepsake.prisma')]);
    expect(readdirSync(join(project, 'generated/models'))).toContain('KeepsakeSession.ts');
    expect(read(folder, 'keepsake.prisma').match(new RegExp(`@@schema\\("${own}"\\)`, 'g'))).toHaveLength(5);
    expect((await init(project)).stdout).toMatch(/keepsake\.prisma: is there already/);
  }
});

it('takes blanks and ends of lines for nothing', async () => {
  const project = projectOf({ 'prisma/schema/main.prisma': schemaFor('sqlite') });
  await init(project);
  const [sessions = ''] = readdirSync(join(project, 'prisma/migrations'));
  for (const path of ['prisma/schema/keepsake.prisma', `prisma/migrations/${sessions}/migration.sql`]) {
    writeFileSync(join(project, path), read(project, path).replaceAll('\n', '\r\n').replaceAll('  ', '    '));
  }
  const { status, stdout } = await init(project);
  expect(stdout.match(/is there already/g)).toHaveLength(4);
  expect(status).toBe(0);
});

it('changes nothing of what is there, and says so', async () => {
  const project = projectOf({ 'prisma/schema/main.prisma': schemaFor('postgresql') });
  await init(project);
  const again = await init(project);
  expect(again.stdout.match(/is there already/g)).toHaveLength(4);
  expect(again.status).toBe(0);

  const models = join(project, 'prisma/schema/keepsake.prisma');
  const [sessions = ''] = readdirSync(join(project, 'prisma/migrations'));
  const migration = join(project, 'prisma/migrations', sessions, 'migration.sql');
  writeFileSync(models, '// mine');
  writeFileSync(migration, '-- mine');
  const { status, stdout } = await init(project);
  expect(stdout.match(/is another than that of this version, and was left as it is/g)).toHaveLength(2);
  expect(status).toBe(1);
  expect([read(models), read(migration)]).toEqual(['// mine', '-- mine']);

  expect((await init(project, '--overwrite')).stdout).toMatch(/keepsake\.prisma: replaced/);
  expect(read(models)).toContain('model KeepsakeSession');
  expect(read(migration)).toBe('-- mine');
});

it.each([
  ['no schema', {}, /There is no Prisma schema at prisma\/schema, .*--schema/],
  [
    'another database',
    { 'schema.prisma': schemaFor('mysql') },
    /is for mysql\. Keepsake needs "postgresql" or "sqlite"/,
  ],
  ['no provider', { 'schema.prisma': 'model A { id Int @id }' }, /names no provider/],
])('refuses %s, and writes nothing', async (_, files, message) => {
  const project = projectOf(files);
  const { status, stderr } = await init(project);
  expect(stderr).toMatch(message);
  expect(status).toBe(2);
  expect(readdirSync(project)).toEqual(Object.keys(files));
});
