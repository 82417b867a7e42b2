import { readFileSync } from "node:fs";
import { join } from "node:path";

const PROGRAMS = ["kube-controller-manager", "kube-scheduler"];

/**
 * What a controller read may be older than what it wrote, and what it writes may be gone; it says so and tries again. Which
 * of them this happens to, and whether at all, depends on who was quicker, on any server.
 */
const RACES = [
  /is not as new as written version/,
  /the object has been modified; please apply your changes to the latest version/,
  // Of what is gone kube-apiserver says the one while its cache still has it, and the other from then on. Both are there in ten
  // minutes with the real one, too, but not in every minute.
  /StorageError: invalid object, Code: 4/,
  /sync .* failed with .* not found/,
  /unable to create new content in namespace .* because it is being terminated/,
];

/** The errors in the logs of the controller manager and the scheduler, each kind of them once. */
export function complaints(dir: string): readonly string[] {
  const all = PROGRAMS.flatMap((program) =>
    readFileSync(join(dir, `${program}.log`), "utf8")
      .split("\n")
      .filter((line) => /^[EF]\d{4} /.test(line) && !RACES.some((race) => race.test(line)))
      .map((line) => `${program}: ${kindOf(line)}`),
  );
  return [...new Set(all)].sort();
}

/** Where it was said and what, without names, numbers and times. */
function kindOf(line: string): string {
  const [, place = "", text = ""] = /^\S+ \S+\s+\d+ ([^:]+):\d+\] (.*)$/.exec(line) ?? [];
  return `${place}: ${text}`
    .replace(/round-\w+/g, "<namespace>")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replace(/\b(\w+)-[a-z0-9]{8,10}(-[a-z0-9]{5})?\b/g, "$1-<any>")
    .replace(/\b[a-z]+-[a-z0-9]{5}\b/g, "<any>")
    .replace(/\d+/g, "<n>");
}
