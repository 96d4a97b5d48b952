export { type MemoryMiddlewareOptions, memoryMiddleware } from './memory-middleware.ts';
export { memoryTools } from './memory-tools.ts';
