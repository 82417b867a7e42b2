import { FLAGS } from "../generated/etcd-flags.ts";
import { isTrue } from "../kube-apiserver/flags.ts";

/** A command line that etcd refuses too, with its exit code. */
export class EtcdFlagError extends Error {
  override readonly name = "EtcdFlagError";
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface EtcdSettings {
  readonly command: "help" | "version" | "server";
  readonly listen: readonly URL[];
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificate authority of client certificates; empty if none are required. */
  readonly clientCaFile: string;
}

/** Parses a command line as Go's flag package does, with the ETCD_* variables as defaults. Throws EtcdFlagError. */
export function parseEtcdSettings(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): EtcdSettings {
  const flags = parseFlags(args);
  const variable = (name: string) => env[`ETCD_${name.toUpperCase().replaceAll("-", "_")}`];
  const getValue = (name: string) => flags.get(name) ?? variable(name) ?? FLAGS.find(([each]) => each === name)?.[2] ?? "";
  const isSet = (name: string) => flags.has(name) || variable(name) !== undefined;
  const command = flags.has("help") ? "help" : flags.has("version") ? "version" : "server";
  if (command === "server" && isSet("listen-client-urls") && !isSet("advertise-client-urls")) {
    throw new EtcdFlagError("--advertise-client-urls is required when --listen-client-urls is set explicitly", 1);
  }
  const listen = [getValue("listen-client-urls"), getValue("listen-client-http-urls")].flatMap((urls) => urls.split(",")).filter(Boolean);
  return {
    command,
    listen: listen.map(parseListenUrl),
    certFile: getValue("cert-file"),
    keyFile: getValue("key-file"),
    clientCaFile: isTrue(getValue("client-cert-auth")) || getValue("trusted-ca-file") !== "" ? getValue("trusted-ca-file") : "",
  };
}

function parseFlags(args: readonly string[]): ReadonlyMap<string, string> {
  const types = new Map(FLAGS.map(([name, type]) => [name, type]));
  for (const name of ["help", "h", "version"]) types.set(name, "bool");
  const flags = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string;
    const [, flag, value] = /^--?([^-=][^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (flag === undefined) throw new EtcdFlagError(`'${word}' is not a valid flag`, 1);
    const name = flag === "h" ? "help" : flag;
    const type = types.get(name);
    if (type === undefined) throw new EtcdFlagError(`flag provided but not defined: -${flag}`, 2);
    if (value !== undefined) flags.set(name, value);
    else if (type === "bool") flags.set(name, "true");
    else if (at + 1 < args.length) flags.set(name, args[++at] as string);
    else throw new EtcdFlagError(`flag needs an argument: -${flag}`, 2);
  }
  return flags;
}

function parseListenUrl(text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new EtcdFlagError(
      `invalid value ${JSON.stringify(text)} for flag -listen-client-urls: URL scheme must be http or https: ${text}`,
      2,
    );
  }
  return new URL(text);
}
