import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { writePrivateFile } from "pintle/internal/private-file";
import type { EtcdClientConfig } from "./etcd-connection.ts";

/** The environment variables of etcdctl: endpoints and certificates. */
export interface EtcdctlEnvironment {
  /** Returns the variables for a command line, without those that it sets by flags: etcdctl refuses both. */
  getVariables(args: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** Removes the certificate files. */
  close(): Promise<void>;
}

const CERTIFICATE_VARIABLES = { ca: "CACERT", cert: "CERT", key: "KEY" } as const;

export function createEtcdctlEnvironment(etcd: EtcdClientConfig): EtcdctlEnvironment {
  let folder: Promise<string> | undefined;
  const writeCertificates = async (): Promise<readonly (readonly [string, string])[]> => {
    const names = (Object.keys(CERTIFICATE_VARIABLES) as (keyof typeof CERTIFICATE_VARIABLES)[]).filter((name) => etcd[name] !== undefined);
    if (names.length === 0) return [];
    folder ??= mkdtemp(path.join(tmpdir(), "pintle-etcd-"));
    const certificateFolder = await folder;
    return Promise.all(
      names.map(async (name) => {
        const file = path.join(certificateFolder, `${name}.pem`);
        writePrivateFile(file, etcd[name]!);
        return [CERTIFICATE_VARIABLES[name], file] as const;
      }),
    );
  };
  return {
    async getVariables(args) {
      const all = [["API", "3"], ["ENDPOINTS", etcd.endpoints.join()], ...(await writeCertificates())] as const;
      const isGiven = (name: string) => args.some((arg) => arg.split("=")[0] === `--${name.toLowerCase()}`);
      return Object.fromEntries(all.filter(([name]) => !isGiven(name)).map(([name, value]) => [`ETCDCTL_${name}`, value]));
    },
    async close() {
      const created = await folder;
      if (created !== undefined) await rm(created, { recursive: true, force: true });
    },
  };
}
