import { isTrue } from "../flags.ts";
import { FLAGS } from "../generated/etcd-flags.ts";

/** A command line that etcd would refuse too, with its exit code. */
export class EtcdFlagError extends Error {
  override readonly name = "EtcdFlagError";
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface EtcdSettings {
  readonly wants: "help" | "version" | "server";
  readonly listen: readonly URL[];
  readonly certFile: string;
  readonly keyFile: string;
  /** Whose certificates clients must show; empty: none has to. */
  readonly clientCaFile: string;
}

/** Reads a command line as Go's flag package does, and what ETCD_* variables say where it does not. Throws EtcdFlagError. */
export function etcdSettings(words: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): EtcdSettings {
  const given = read(words);
  const variable = (name: string) => env[`ETCD_${name.toUpperCase().replaceAll("-", "_")}`];
  const text = (name: string) => given.get(name) ?? variable(name) ?? FLAGS.find(([each]) => each === name)?.[2] ?? "";
  const isSet = (name: string) => given.has(name) || variable(name) !== undefined;
  const wants = given.has("help") ? "help" : given.has("version") ? "version" : "server";
  if (wants === "server" && isSet("listen-client-urls") && !isSet("advertise-client-urls")) {
    throw new EtcdFlagError("--advertise-client-urls is required when --listen-client-urls is set explicitly", 1);
  }
  const listen = [text("listen-client-urls"), text("listen-client-http-urls")].flatMap((urls) => urls.split(",")).filter(Boolean);
  return {
    wants,
    listen: listen.map(address),
    certFile: text("cert-file"),
    keyFile: text("key-file"),
    clientCaFile: isTrue(text("client-cert-auth")) || text("trusted-ca-file") !== "" ? text("trusted-ca-file") : "",
  };
}

function read(words: readonly string[]): ReadonlyMap<string, string> {
  const types = new Map(FLAGS.map(([name, type]) => [name, type]));
  for (const name of ["help", "h", "version"]) types.set(name, "bool");
  const given = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const [, written, value] = /^--?([^-=][^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (written === undefined) throw new EtcdFlagError(`'${word}' is not a valid flag`, 1);
    const name = written === "h" ? "help" : written;
    const type = types.get(name);
    if (type === undefined) throw new EtcdFlagError(`flag provided but not defined: -${written}`, 2);
    if (value !== undefined) given.set(name, value);
    else if (type === "bool") given.set(name, "true");
    else if (at + 1 < words.length) given.set(name, words[++at] as string);
    else throw new EtcdFlagError(`flag needs an argument: -${written}`, 2);
  }
  return given;
}

function address(text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new EtcdFlagError(
      `invalid value ${JSON.stringify(text)} for flag -listen-client-urls: URL scheme must be http or https: ${text}`,
      2,
    );
  }
  return new URL(text);
}
