export type { MemoryHandler } from './http/handler.ts';
export { type MemoryHandlerOptions, memoryHandler } from './memory-handler.ts';
export { type MemoryServerOptions, memoryServer } from './memory-server.ts';
export { type HttpServer, type ServeHttpOptions, serveHttp } from './serve-http.ts';
export type { ServerSettings } from './server-settings.ts';
