import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { CommandError } from "../command.ts";
import type { Base } from "./base.ts";
import { blob, digestOf, MEDIA } from "./blob.ts";
import { type Entry, tar } from "./tar.ts";

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64", ppc64: "ppc64le", s390x: "s390x" };
export const machineArchitecture = () => ARCHITECTURES[process.arch] ?? process.arch;
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

/** A base image made of this machine's own Node, the libraries it is linked with, and nothing else. Needs no network. */
export async function machineBase(): Promise<Base> {
  if (process.platform !== "linux") {
    throw new CommandError(
      "pintle build: only Linux can be its own base: name one with --base, such as --base docker.io/library/node:22-slim",
    );
  }
  const archive = tar([...node(), ...furniture()]);
  const layer = blob(MEDIA.gzipLayer, await promisify(gzip)(archive, { level: 6 }));
  return {
    platform: { os: "linux", architecture: machineArchitecture() },
    layers: [layer],
    config: { Env: ["PATH=/usr/local/bin"] },
    diffIds: [digestOf(archive)],
    name: `this machine's Node ${process.versions.node}`,
  };
}

function node(): readonly Entry[] {
  const program = realpathSync(process.execPath);
  const libraries = execFileSync("ldd", [program], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? []);
  return [
    { path: "usr/local/bin/node", mode: 0o755, data: readFileSync(program) },
    ...libraries.map((file): Entry => ({ path: file.slice(1), mode: 0o755, data: readFileSync(realpathSync(file)) })),
  ];
}

/** What programs look for in every system. */
function furniture(): readonly Entry[] {
  const text = (path: string, data: string): Entry => ({ path, mode: 0o644, data: Buffer.from(data) });
  return [
    text("etc/passwd", "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"),
    text("etc/group", "root:x:0:\nnonroot:x:65532:\n"),
    text("etc/nsswitch.conf", "hosts: files dns\n"),
    { path: "tmp/", mode: 0o1777 },
    ...(existsSync(AUTHORITIES) ? [{ path: AUTHORITIES.slice(1), mode: 0o644, data: readFileSync(AUTHORITIES) }] : []),
  ];
}
