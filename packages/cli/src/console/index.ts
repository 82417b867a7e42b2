/**
 * The console in this package: sources of what it shows, and how a command starts it. In: an embedded cluster, or a trace file. Out: a URL.
 */
export { type ClusterSourceOptions, createClusterSource } from "./cluster-source.ts";
export { forwardConsole } from "./forward-console.ts";
export { openBrowser } from "./open-browser.ts";
export { createProjectFiles } from "./project-files.ts";
export { replayPlans } from "./replay-plans.ts";
export { type StartedConsole, startConsole } from "./start-console.ts";
export { createTraceSource } from "./trace-source.ts";
