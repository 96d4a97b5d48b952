import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { generatePrismaClient } from '@keepsake/prisma-client';
import { runProgram } from '@keepsake/testing';
import { createClient } from '@libsql/client';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../src/cli/run.ts';

const program = join(import.meta.dirname, '../src/keepsake-prisma.ts');

/** A project with these files, removed after the test. */
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

const init = async (cwd: string, ...args: string[]) => run(['init', ...args], cwd);
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

it('init adds models and migrations to a schema folder, from which a client is generated and the SQL applied', async () => {
  const project = projectOf({
    'prisma/schema/main.prisma': schemaFor('sqlite'),
    'prisma/migrations/20990101000000_first/migration.sql': 'SELECT 1;',
  });
  const { status, stdout } = await runProgram(program, ['init'], { cwd: project });
  expect(stdout).toMatch(/keepsake\.prisma: written/);
  expect(stdout).toMatch(/npx prisma generate\n.*npx prisma migrate deploy/);
  expect(stdout).not.toMatch(/schema: '/);
  expect(status).toBe(0);
  const migrations = readdirSync(join(project, 'prisma/migrations'));
  // They come after the existing ones, whatever the clock says.
  expect(migrations.sort()).toEqual([
    '20990101000000_first',
    '20990101000001_keepsake_0001_tables',
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
  expect((await database.execute('SELECT version FROM keepsake_meta')).rows).toHaveLength(1);
  database.close();
});

it('keepsake-prisma without a command exits with 2 and prints its help as an error', async () => {
  expect(await runProgram(program, [], { cwd: projectOf({}) })).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^The only command is init\.\n\nUsage: npx keepsake-prisma init/),
  });
});

it('init with a single-file schema asks for a schema folder', async () => {
  const project = projectOf({ 'prisma/schema.prisma': schemaFor('postgresql') });
  const { status, stdout } = await init(project);
  expect(stdout).toContain("schema: 'prisma'");
  expect(status).toBe(0);
  expect(read(project, 'prisma/keepsake.prisma')).toContain('model KeepsakeRecord');
  expect(readdirSync(join(project, 'prisma/migrations'))).toHaveLength(2);
});

it('init uses the paths in the configuration of Prisma, whatever its file name', async () => {
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
  expect(status).toBe(0);
  expect(read(project, 'db/models/keepsake.prisma')).toContain('model KeepsakeSession');
  expect(readdirSync(join(project, 'db/steps'))).toHaveLength(2);

  // Prisma resolves paths from the folder of the configuration.
  const nested = projectOf({ ...files, '.config/prisma.ts': config.replaceAll('db/', '../db/') });
  expect((await init(nested)).status).toBe(0);
  expect(readdirSync(join(nested, 'db/steps'))).toHaveLength(2);
});

it('init prints the migrations setting if Prisma would look for migrations elsewhere', async () => {
  const files = { 'prisma/schema/main.prisma': schemaFor('postgresql'), 'prisma.config.ts': 'export default {};' };
  const { stdout } = await init(projectOf(files));
  expect(stdout).toContain(
    "- in prisma.config.ts, name the folder of the migrations: migrations: { path: 'prisma/migrations' }",
  );

  const within = projectOf({ ...files, 'prisma/schema/migrations/20200101000000_first/migration.sql': 'SELECT 1;' });
  expect((await init(within)).stdout).not.toContain('migrations: {');
  expect(readdirSync(join(within, 'prisma/schema/migrations'))).toHaveLength(3);
});

it('init adds a @@schema to every model if the datasource lists schemas', async () => {
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
    expect(read(folder, 'keepsake.prisma').match(new RegExp(`@@schema\\("${own}"\\)`, 'g'))).toHaveLength(12);
    expect((await init(project)).stdout).toMatch(/keepsake\.prisma: up to date/);
  }
});

it('init ignores differences in white space', async () => {
  const project = projectOf({ 'prisma/schema/main.prisma': schemaFor('sqlite') });
  await init(project);
  const [sessions = ''] = readdirSync(join(project, 'prisma/migrations'));
  for (const path of ['prisma/schema/keepsake.prisma', `prisma/migrations/${sessions}/migration.sql`]) {
    writeFileSync(join(project, path), read(project, path).replaceAll('\n', '\r\n').replaceAll('  ', '    '));
  }
  const { status, stdout } = await init(project);
  expect(stdout.match(/up to date/g)).toHaveLength(2);
  expect(status).toBe(0);
});

it('init keeps files that differ, and reports them', async () => {
  const project = projectOf({ 'prisma/schema/main.prisma': schemaFor('postgresql') });
  await init(project);
  const again = await init(project);
  expect(again.stdout.match(/up to date/g)).toHaveLength(2);
  expect(again.status).toBe(0);

  const models = join(project, 'prisma/schema/keepsake.prisma');
  const [sessions = ''] = readdirSync(join(project, 'prisma/migrations'));
  const migration = join(project, 'prisma/migrations', sessions, 'migration.sql');
  writeFileSync(models, '// mine');
  writeFileSync(migration, '-- mine');
  const { status, stdout } = await init(project);
  expect(stdout.match(/kept, but differs from this version/g)).toHaveLength(2);
  expect(status).toBe(1);
  expect([read(models), read(migration)]).toEqual(['// mine', '-- mine']);

  expect((await init(project, '--overwrite')).stdout).toMatch(/keepsake\.prisma: replaced/);
  expect(read(models)).toContain('model KeepsakeSession');
  expect(read(migration)).toBe('-- mine');
});

it.each([
  ['a project without a schema', {}, /There is no Prisma schema at prisma\/schema, .*--schema/],
  [
    'an unsupported database',
    { 'schema.prisma': schemaFor('mysql') },
    /is for mysql\. Keepsake needs "postgresql" or "sqlite"/,
  ],
  ['a schema without a provider', { 'schema.prisma': 'model A {\n  id Int @id\n}\n' }, /names no provider/],
])('init fails for %s, and writes nothing', async (_, files, message) => {
  const project = projectOf(files);
  const { status, stderr } = await init(project);
  expect(stderr).toMatch(message);
  expect(status).toBe(2);
  expect(readdirSync(project)).toEqual(Object.keys(files));
});

const models = 'model Customer {\n  id Int @id\n}\n';

it.each([
  ['a block comment', '/*\ndatasource old {\n  provider = "mysql"\n}\n*/\ndatasource db {\n  provider = "sqlite"\n}\n'],
  ['a comment after a brace', 'datasource db { // not "provider = mysql" }\n  provider = "sqlite" // }\n} // db\n'],
  [
    'a string that looks like a datasource',
    'model Note {\n  id   Int    @id\n  text String @default("datasource db { provider = \\"mysql\\" }")\n}\ndatasource db {\n  provider = "sqlite"\n}\n',
  ],
  [
    'comment marks and braces in strings',
    'datasource db {\n  relationMode = "/* } //"\n  provider\t=   "sqlite"\n}\n\n\n/// }\n// datasource db { provider = "mysql" }\n',
  ],
  ['Windows line endings', 'datasource db {\r\n\r\n\tprovider = "sqlite"\r\n}\r\n'],
])('init reads the datasource of a schema with %s', async (_, text) => {
  const project = projectOf({ 'prisma/schema/main.prisma': text, 'prisma/schema/models.prisma': models });
  const { status, stdout, stderr } = await init(project);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout).toContain('prisma/schema/keepsake.prisma: written');
  expect(read(project, 'prisma/migrations/migration_lock.toml')).toBe('provider = "sqlite"\n');
});

it('init reads schema names with comment marks and brackets', async () => {
  const text = 'datasource db {\n  provider = "postgresql"\n  schemas  = ["a//b", "c]d"] // "public"\n}\n';
  const project = projectOf({ 'prisma/schema/main.prisma': text });
  expect((await init(project)).status).toBe(0);
  expect(read(project, 'prisma/schema/keepsake.prisma')).toContain('@@schema("a//b")');
});

it.each([
  ['quoted keys', `export default { "schema": 'db/models', ['migrations']: { 'path': \`db/steps\` } };`],
  [
    'a block comment',
    `/* schema: 'prisma/schema.prisma', migrations: { path: 'old' } */
export default { schema: 'db/models', /* path: 'old' */ migrations: { /* } */ path: 'db/steps' } };`,
  ],
  [
    'braces and comment marks in strings',
    `export default {
  datasource: { url: 'file:./a.db // schema: "old"' },
  migrations: { initShadowDb: 'SELECT {}', seed: "node 'path: old'", path: 'db/steps' },
  schema: 'db/models',
} satisfies PrismaConfig;`,
  ],
  [
    'other objects with the same keys',
    `import { defineConfig, type PrismaConfig } from 'prisma/config';
const zod: { schema: string } = { schema: 'prisma/schema.prisma' };
const plugin = { migrations: { path: 'old' } };
export default defineConfig({
  experimental: { externalTables: true, schema: 'prisma/schema.prisma' },
  schema: 'db/models',
  migrations: { nested: { path: 'old' }, path: 'db/steps' },
} as PrismaConfig);`,
  ],
  [
    'constants',
    `import { defineConfig } from 'prisma/config';
const schema = 'db/models', path = 'db/steps';
const migrations = { path };
const config = defineConfig({ schema, migrations });
export default config;`,
  ],
  [
    'path.join',
    `import path, { join } from 'node:path';
export default { schema: path.join('db', 'models'), migrations: { path: join('db', './steps') } };`,
  ],
  ['module.exports', `module.exports = { schema: 'db/models', migrations: { path: 'db/steps' } };`],
])('init reads a configuration with %s', async (_, config) => {
  const files = { 'db/models/main.prisma': schemaFor('sqlite'), 'prisma/schema.prisma': schemaFor('mysql') };
  const project = projectOf({ ...files, 'prisma.config.ts': config });
  const { status, stderr } = await init(project);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(read(project, 'db/models/keepsake.prisma')).toContain('model KeepsakeSession');
  expect(readdirSync(join(project, 'db/steps'))).toHaveLength(2);
});

it('init asks for the paths if the configuration computes them, and writes nothing', async () => {
  const config = `import dotenv from 'not-installed';
export default { ...dotenv, schema: process.env.SCHEMA, migrations: { path: \`\${process.env.DIR}/steps\` } };`;
  const project = projectOf({ 'prisma/schema.prisma': schemaFor('sqlite'), 'prisma.config.ts': config });
  expect((await init(project)).stderr).toMatch(/prisma\.config\.ts computes the path of the schema.*--schema/);
  const withSchema = await init(project, '--schema', 'prisma/schema.prisma');
  expect(withSchema.stderr).toMatch(/the path of the migrations.*--migrations/);
  expect(readdirSync(join(project, 'prisma'))).toEqual(['schema.prisma']);
  const paths = ['--schema', 'prisma/schema.prisma', '--migrations', 'prisma/steps'];
  expect((await init(project, ...paths)).status).toBe(0);
  expect(readdirSync(join(project, 'prisma/steps'))).toHaveLength(2);
});

it.each([
  [
    'schema',
    { 'schema.prisma': '/*\n*/ datasource db {\n  provider "sqlite"\n}\n' },
    /Cannot parse schema\.prisma: .*\(line 3\)/,
  ],
  [
    'configuration',
    { 'schema.prisma': schemaFor('sqlite'), 'prisma.config.ts': 'export default {\n  schema: ,\n};\n' },
    /Cannot parse prisma\.config\.ts: .*\(2:10\)/,
  ],
])('init fails for a %s with a syntax error, and writes nothing', async (_, files: Record<string, string>, message) => {
  const project = projectOf(files);
  const { status, stderr } = await init(project);
  expect(stderr).toMatch(message);
  expect(status).toBe(2);
  expect(readdirSync(project).sort()).toEqual(Object.keys(files).sort());
});
