/** `npm run bench:build [name...]`: builds the peers that are not built yet, and reports those that cannot be built, also to a parent process. */

import { cacheFolder, getBuildState } from "../../conformance/clients/build-state.ts";
import { buildMissing } from "../../conformance/clients/builder.ts";
import { createShutdownSignal } from "../../conformance/real/shutdown-signal.ts";
import { type PeerName, programs } from "./programs.ts";

const signal = createShutdownSignal();
const given = process.argv.slice(2) as PeerName[];
const names = given.length > 0 ? given : (Object.keys(programs) as PeerName[]);
const missing: Record<string, string> = {};
for (const name of names) {
  const program = programs[name];
  try {
    const [impossible] = getBuildState([program]).impossible;
    if (impossible !== undefined) throw new Error(`${impossible.tool} is not on PATH`);
    await buildMissing([program], signal);
  } catch (error) {
    if (signal.aborted) break;
    missing[name] = `could not be built: ${error instanceof Error ? error.message : String(error)}`;
  }
}
if (process.send !== undefined) {
  process.send(missing);
  process.disconnect();
} else {
  for (const [name, reason] of Object.entries(missing)) console.error(`!!! ${name} ${reason}`);
  console.log(`${names.length - Object.keys(missing).length} of ${names.length} peers in ${cacheFolder()}`);
  process.exitCode = Object.keys(missing).length > 0 ? 1 : 0;
}
