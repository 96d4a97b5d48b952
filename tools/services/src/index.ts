export type { PostgresServer } from './postgres-server.ts';
export type { RedisServer } from './redis-server.ts';
export { type PgBouncer, type PgBouncerOptions, startPgBouncer } from './start-pgbouncer.ts';
export { type PostgresOptions, startPostgres } from './start-postgres.ts';
export { type CutPoint, startProxy, type TcpProxy } from './start-proxy.ts';
export { type RedisOptions, startRedis } from './start-redis.ts';
export { type RedisCluster, startRedisCluster } from './start-redis-cluster.ts';
