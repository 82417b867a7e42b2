import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { EtcdPlace } from "./etcd-place.ts";

/** What tells etcdctl where etcd is and how to be let in. */
export interface EtcdctlSettings {
  /** For a command line: what it says itself is left to it, as etcdctl refuses to hear it twice. */
  environment(args: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** Removes the files that were made for it. */
  close(): Promise<void>;
}

const FILES = { ca: "CACERT", cert: "CERT", key: "KEY" } as const;

export function etcdctlSettings(etcd: EtcdPlace): EtcdctlSettings {
  let folder: Promise<string> | undefined;
  const files = async (): Promise<readonly (readonly [string, string])[]> => {
    const given = (Object.keys(FILES) as (keyof typeof FILES)[]).filter((name) => etcd[name] !== undefined);
    if (given.length === 0) return [];
    folder ??= mkdtemp(path.join(tmpdir(), "pintle-etcd-"));
    const where = await folder;
    return Promise.all(
      given.map(async (name) => {
        const file = path.join(where, `${name}.pem`);
        await writeFile(file, etcd[name]!, { mode: 0o600 });
        return [FILES[name], file] as const;
      }),
    );
  };
  return {
    async environment(args) {
      const all = [["API", "3"], ["ENDPOINTS", etcd.endpoints.join()], ...(await files())] as const;
      const isSaid = (name: string) => args.some((arg) => arg.split("=")[0] === `--${name.toLowerCase()}`);
      return Object.fromEntries(all.filter(([name]) => !isSaid(name)).map(([name, value]) => [`ETCDCTL_${name}`, value]));
    },
    async close() {
      const made = await folder;
      if (made !== undefined) await rm(made, { recursive: true, force: true });
    },
  };
}
