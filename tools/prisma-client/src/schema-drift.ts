import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import type * as Engine from '@prisma/schema-engine-wasm';

// The engine of Prisma Migrate, as the CLI loads it for projects with a driver adapter. No engine is downloaded.
const module = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');

let loading: Promise<typeof Engine> | undefined;

async function loadEngine(): Promise<typeof Engine> {
  const engine = await import(module);
  const compiled = new WebAssembly.Module(readFileSync(module.replace(/\.js$/, '.wasm')));
  const { exports } = new WebAssembly.Instance(compiled, { './schema_engine_bg.js': engine });
  engine.__wbg_set_wasm(exports);
  (exports as { __wbindgen_start(): void }).__wbindgen_start();
  return engine;
}

/** The SQL that Prisma Migrate would run to bring a database in line with a schema, or `undefined` if they match. */
export async function schemaDrift(
  schema: string,
  adapter: SqlMigrationAwareDriverAdapterFactory,
): Promise<string | undefined> {
  loading ??= loadEngine();
  const { SchemaEngine } = await loading;
  const files = [{ path: 'schema.prisma', content: schema }];
  const engine = await SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(readable(adapter)),
  );
  try {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 0 ? undefined : (stdout ?? '');
  } finally {
    engine.free();
  }
}

/** Rewrites two queries of the engine that these drivers don't support. */
function readable(factory: SqlMigrationAwareDriverAdapterFactory): SqlMigrationAwareDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => answering(await factory.connect()),
    connectToShadowDb: async () => answering(await factory.connectToShadowDb()),
  };
}

function answering(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (query: SqlQuery) => {
    const sql = query.sql
      // libSQL does not accept strings in double quotes.
      .replace(/\bname = "(\w+)"/, "name = '$1'")
      // The adapter of `pg` does not support single characters, which the engine requires for one column.
      .replace(/\b(constr\.contype|att\.attidentity|confdeltype|confupdtype)(?= AS\b|,)/g, '$1::text');
    const result = await queryRaw({ ...query, sql });
    const columnTypes = result.columnTypes.map((type, column) =>
      result.columnNames[column] === 'constraint_type' ? ColumnTypeEnum.Character : type,
    );
    return { ...result, columnTypes };
  };
  return adapter;
}
