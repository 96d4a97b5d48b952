/** The backends that `keepsake init` writes a configuration for. */
export const BACKENDS = ['file', 'sqlite', 'redis', 'postgres', 'prisma'] as const;

export type BackendName = (typeof BACKENDS)[number];
