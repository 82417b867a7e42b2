/**
 * run(): controllers as a process. Start and stop in order, signals, health, metrics, leader election.
 *
 * In: controllers as values, and how to reach a cluster. Out: a handle (`start`) or a process that ends when it should (`run`).
 */
export { type Level, type LogOptions, logLines } from "./log-lines.ts";
export { run } from "./run.ts";
export { type Manager, type StartOptions, start } from "./start.ts";
