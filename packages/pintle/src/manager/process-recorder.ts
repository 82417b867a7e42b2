import { readSync } from "node:fs";
import { Socket } from "node:net";
import type { Clock } from "../clock/index.ts";
import { createFlightRecorder, type FlightRecorder, HASH_KEY_BYTES, isSensitiveName } from "../recorder/index.ts";

/**
 * Creates the recorder of a process that `pintle dev` started: it keeps nothing, and writes every fact to the pipe with the descriptor in
 * PINTLE_RECORDER_FD, from which it first reads the key of the hashes of secrets. Undefined without one.
 */
export function createProcessRecorder({ PINTLE_RECORDER_FD: descriptor }: NodeJS.ProcessEnv, clock: Clock): FlightRecorder | undefined {
  if (descriptor === undefined || !/^\d+$/.test(descriptor)) return undefined;
  // Before the socket makes reads return at once.
  const hashKey = readHashKey(Number(descriptor));
  const pipe = new Socket({ fd: Number(descriptor), readable: false, writable: true });
  pipe.unref();
  // The reader has ended: nothing is left to record for.
  pipe.on("error", () => pipe.destroy());
  return createFlightRecorder({
    clock,
    maxBytes: 0,
    hashKey,
    // Of the embedded cluster, which receives these facts.
    hasServerCommits: true,
    onFact(line) {
      if (!pipe.destroyed) pipe.write(`${line}\n`);
    },
  });
}

/**
 * Reads the key with which the cluster hashes secrets, so that equal ones look equal in its facts and in those of this process. It comes through the
 * pipe because an environment and arguments can be read by others, and are recorded. Undefined if the other end has been closed.
 */
function readHashKey(descriptor: number): Uint8Array | undefined {
  const key = new Uint8Array(HASH_KEY_BYTES);
  for (let length = 0; length < key.length; ) {
    const count = readSync(descriptor, key, length, key.length - length, null);
    if (count === 0) return undefined;
    length += count;
  }
  return key;
}

/** Remembers the secrets in the environment of this process: a pod gets them from Secrets that the operator never reads. */
export function learnEnvironment({ redactor }: FlightRecorder, env: NodeJS.ProcessEnv): void {
  // Paths of files are no secrets.
  for (const [name, value = ""] of Object.entries(env)) if (isSensitiveName(name) && !/^[./~]/.test(value)) redactor.learn(value);
}
