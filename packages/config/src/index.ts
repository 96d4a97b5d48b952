export { type ConversationsConfig, defineConfig, type KeepsakeConfig, type SpaceConfig } from './config.ts';
export { findConfig } from './find-config.ts';
export { type OpenConfigOptions, openConfig } from './open-config.ts';
export { OpenedConfig, type OpenedConfigOptions } from './opened-config.ts';
