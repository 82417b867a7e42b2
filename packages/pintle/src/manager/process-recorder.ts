import { Socket } from "node:net";
import type { Clock } from "../clock/index.ts";
import { createFlightRecorder, type FlightRecorder, isSensitiveName } from "../recorder/index.ts";

/**
 * Creates the recorder of a process that `pintle dev` started: it keeps nothing, and writes every fact to the pipe with the descriptor in
 * PINTLE_RECORDER_FD. Undefined without one.
 */
export function createProcessRecorder({ PINTLE_RECORDER_FD: descriptor }: NodeJS.ProcessEnv, clock: Clock): FlightRecorder | undefined {
  if (descriptor === undefined || !/^\d+$/.test(descriptor)) return undefined;
  const pipe = new Socket({ fd: Number(descriptor), readable: false, writable: true });
  pipe.unref();
  // The reader has ended: nothing is left to record for.
  pipe.on("error", () => pipe.destroy());
  return createFlightRecorder({
    clock,
    maxBytes: 0,
    // Of the embedded cluster, which receives these facts.
    hasServerCommits: true,
    onFact(line) {
      if (!pipe.destroyed) pipe.write(`${line}\n`);
    },
  });
}

/** Remembers the secrets in the environment of this process: a pod gets them from Secrets that the operator never reads. */
export function learnEnvironment({ redactor }: FlightRecorder, env: NodeJS.ProcessEnv): void {
  // Paths of files are no secrets.
  for (const [name, value = ""] of Object.entries(env)) if (isSensitiveName(name) && !/^[./~]/.test(value)) redactor.learn(value);
}
