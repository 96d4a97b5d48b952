export { type PostgresOptions, type PostgresServer, startPostgres } from './start-postgres.ts';
export { type CutPoint, startProxy, type TcpProxy } from './start-proxy.ts';
export { type RedisOptions, type RedisServer, startRedis } from './start-redis.ts';
export { type RedisCluster, startRedisCluster } from './start-redis-cluster.ts';
