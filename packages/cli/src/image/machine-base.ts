import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { createBlob, createTar, MEDIA_TYPES, sha256Digest, type TarEntry } from "@pintle/lifecycle/internal/image";
import { CommandError } from "../command/index.ts";
import type { BaseImage } from "./base-image.ts";

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64", ppc64: "ppc64le", s390x: "s390x" };
export const getMachineArchitecture = () => ARCHITECTURES[process.arch] ?? process.arch;
const CA_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Builds a base image from the Node binary of this machine and the shared libraries it is linked with. Needs no network. */
export async function buildMachineBase(): Promise<BaseImage> {
  if (process.platform !== "linux") {
    throw new CommandError(
      "PINTLE7073",
      "the Node installation of this machine can only be used on Linux: use --base, for example --base docker.io/library/node:22-slim",
    );
  }
  const archive = createTar([...nodeFiles(), ...systemFiles()]);
  const layer = createBlob(MEDIA_TYPES.gzipLayer, await promisify(gzip)(archive, { level: 6 }));
  return {
    platform: { os: "linux", architecture: getMachineArchitecture() },
    layers: [layer],
    config: { Env: ["PATH=/usr/local/bin"] },
    diffIds: [sha256Digest(archive)],
    name: `this machine's Node ${process.versions.node}`,
  };
}

function nodeFiles(): readonly TarEntry[] {
  const program = realpathSync(process.execPath);
  const libraries = execFileSync("ldd", [program], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => /^\s*(?:\S+ => )?(\/\S+) \(0x/.exec(line)?.[1] ?? []);
  return [
    { path: "usr/local/bin/node", mode: 0o755, data: readFileSync(program) },
    ...libraries.map((file): TarEntry => ({ path: file.slice(1), mode: 0o755, data: readFileSync(realpathSync(file)) })),
  ];
}

/** System files that programs expect. */
function systemFiles(): readonly TarEntry[] {
  const text = (path: string, data: string): TarEntry => ({ path, mode: 0o644, data: Buffer.from(data) });
  return [
    text("etc/passwd", "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"),
    text("etc/group", "root:x:0:\nnonroot:x:65532:\n"),
    text("etc/nsswitch.conf", "hosts: files dns\n"),
    { path: "tmp/", mode: 0o1777 },
    ...(existsSync(CA_CERTIFICATES) ? [{ path: CA_CERTIFICATES.slice(1), mode: 0o644, data: readFileSync(CA_CERTIFICATES) }] : []),
  ];
}
