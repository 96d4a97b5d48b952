export { createPanel, type Panel, type PanelOptions } from './create-panel.ts';
export { type PanelServer, type ServePanelOptions, servePanel } from './serve-panel.ts';
