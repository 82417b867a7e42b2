import { readFileSync } from "node:fs";
import { join } from "node:path";

const PROGRAMS = ["kube-controller-manager", "kube-scheduler"];

/**
 * Errors that controllers log and retry because of a stale read or a deleted object. Which of them occur depends on
 * timing, on any server.
 */
const RACE_ERRORS = [
  /is not as new as written version/,
  /the object has been modified; please apply your changes to the latest version/,
  // For a deleted object kube-apiserver returns the first error while its watch cache still has it, and the second one afterwards.
  // Both occur with the real server within ten minutes, but not in every minute.
  /StorageError: invalid object, Code: 4/,
  /sync .* failed with .* not found/,
  /unable to create new content in namespace .* because it is being terminated/,
];

/** The distinct errors in the logs of the controller manager and the scheduler. */
export function collectLogErrors(dir: string): readonly string[] {
  const all = PROGRAMS.flatMap((program) =>
    readFileSync(join(dir, `${program}.log`), "utf8")
      .split("\n")
      .filter((line) => /^[EF]\d{4} /.test(line) && !RACE_ERRORS.some((race) => race.test(line)))
      .map((line) => `${program}: ${normalizeLine(line)}`),
  );
  return [...new Set(all)].sort();
}

/** Source file and message of a log line, without names, numbers and times. */
function normalizeLine(line: string): string {
  const [, place = "", text = ""] = /^\S+ \S+\s+\d+ ([^:]+):\d+\] (.*)$/.exec(line) ?? [];
  return `${place}: ${text}`
    .replace(/round-\w+/g, "<namespace>")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replace(/\b(\w+)-[a-z0-9]{8,10}(-[a-z0-9]{5})?\b/g, "$1-<any>")
    .replace(/\b[a-z]+-[a-z0-9]{5}\b/g, "<any>")
    .replace(/\d+/g, "<n>");
}
