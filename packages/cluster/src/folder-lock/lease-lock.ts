import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Clock } from "pintle/internal/clock";
import { getOwnIdentity, type ProcessIdentity, parseIdentity } from "./process-identity.ts";

export type Lease = { readonly release: () => void } | { readonly heldBy: ProcessIdentity | undefined };

const LEASE_NAME = /^lease-[0-9a-f]{16}$/;
const RENEW_INTERVAL_MS = 1_000;
/** A lease that is not renewed for this long has expired. */
const LEASE_MS = 5_000;

/**
 * Acquires the lease of a folder: a file that its process rewrites every second. A process that finds the lease of another one waits until
 * it is renewed, or removes it when it expires. Leases do not depend on clocks being equal. Of two processes that start at once, both may
 * be refused. A process that stalls for longer than a lease loses it without noticing: writers of the folder need a fence of their own.
 */
export async function acquireLease(folder: string, clock: Clock): Promise<Lease> {
  const name = `lease-${randomBytes(8).toString("hex")}`;
  const file = path.join(folder, name);
  let renewals = 0;
  const renew = (flag: "wx" | "r+") =>
    writeFileSync(file, `${JSON.stringify({ renewals: ++renewals, process: getOwnIdentity() })}\n`, { mode: 0o600, flag });
  const readOthers = () =>
    new Map(
      readdirSync(folder)
        .filter((each) => LEASE_NAME.test(each) && each !== name)
        .map((each) => [each, readText(path.join(folder, each))]),
    );

  renew("wx");
  try {
    const before = readOthers();
    for (let waited = 0; waited < LEASE_MS && before.size > 0; waited += RENEW_INTERVAL_MS) {
      await clock.sleep(RENEW_INTERVAL_MS);
      renew("r+");
      for (const [other, text] of readOthers()) {
        // Empty: released, or being rewritten.
        if (text === "" || before.get(other) === text) continue;
        rmSync(file, { force: true });
        return { heldBy: parseHolder(text) };
      }
    }
    for (const other of before.keys()) rmSync(path.join(folder, other), { force: true });
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }

  let timer = clock.setTimeout(renewAndRepeat, RENEW_INTERVAL_MS);
  function renewAndRepeat(): void {
    try {
      renew("r+");
    } catch (error) {
      // Expired, and removed by the next holder. Any other failure, such as a full disk, is tried again.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    }
    timer = clock.setTimeout(renewAndRepeat, RENEW_INTERVAL_MS);
  }
  return {
    release() {
      clock.clearTimeout(timer);
      rmSync(file, { force: true });
    },
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Released meanwhile.
    return "";
  }
}

function parseHolder(text: string): ProcessIdentity | undefined {
  try {
    return parseIdentity(JSON.parse(text).process);
  } catch {
    return undefined;
  }
}
