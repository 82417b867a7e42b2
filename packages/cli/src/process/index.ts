/** This process and its children: terminal and signals as an `Io`, garbage collection while idle, and `npm install`. */
export { collectGarbageWhenIdle } from "./idle-gc.ts";
export { npmInstall } from "./npm-install.ts";
export { processIo } from "./process-io.ts";
