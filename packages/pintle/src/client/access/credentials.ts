import type { Timing } from "../timing.ts";
import type { Access, Material } from "./access.ts";
import { fileText, fixedText, type Text } from "./file-text.ts";
import { pluginCredentials } from "./plugin-credentials.ts";
import { type PluginCluster, type PluginProcess, runPlugin } from "./run-plugin.ts";

/** Who we are at this moment. The same object as long as nothing changes. */
export interface Credential {
  readonly authorization: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

export interface Credentials {
  /** A promise only while something has to be read or run. */
  current(): Credential | Promise<Credential>;
  /** The server did not accept `refused`: another one, or undefined when there is none. */
  instead(refused: Credential): Promise<Credential | undefined>;
}

/** How old the text of a token file, of a certificate file may be. */
const TOKEN_FRESH = 10_000;
const CERTIFICATE_FRESH = 60_000;

export function credentials(access: Access, timing: Timing, process: PluginProcess): Credentials {
  const user = access.user ?? {};
  const pem = (material: Material | undefined, what: string): Text | undefined => {
    if (material === undefined) return undefined;
    return material.file === undefined ? fixedText(material.data) : fileText(material.file, what, CERTIFICATE_FRESH, timing);
  };
  const ca = pem(access.ca, "certificate authority");
  const cert = pem(user.cert, "client certificate");
  const key = pem(user.key, "client key");
  const token =
    user.tokenFile !== undefined
      ? fileText(user.tokenFile, "token file", TOKEN_FRESH, timing)
      : user.token === undefined
        ? undefined
        : fixedText(user.token);
  const basic = user.basic && `Basic ${Buffer.from(`${user.basic.username}:${user.basic.password}`).toString("base64")}`;
  // What is said outright is stronger than what a plugin would say.
  const said = token !== undefined || basic !== undefined || cert !== undefined;
  const plugin =
    user.exec === undefined || said
      ? undefined
      : pluginCredentials(async () => runPlugin(user.exec!, clusterInfo(access, await ca?.current()), process), timing);

  let last: Credential | undefined;
  function compose(parts: readonly (string | undefined)[], bearer: string | undefined): Credential {
    const [authority, certificate, privateKey] = parts;
    const authorization = bearer === undefined ? basic : `Bearer ${bearer.trim()}`;
    const now = { authorization, ca: authority, cert: certificate, key: privateKey };
    if (last === undefined || !same(last, now)) last = now;
    return last;
  }

  function current(): Credential | Promise<Credential> {
    const handed = plugin?.current();
    const parts = [ca?.current(), cert?.current(), key?.current(), token?.current()];
    if (handed instanceof Promise || parts.some((part) => part instanceof Promise)) return gathered(handed, parts);
    return assemble(handed, parts as readonly (string | undefined)[]);
  }
  async function gathered(
    handed: PluginPart | Promise<PluginPart>,
    parts: readonly (string | undefined | Promise<string>)[],
  ): Promise<Credential> {
    const [one, ...rest] = await Promise.all([handed, ...parts]);
    return assemble(one as PluginPart, rest as readonly (string | undefined)[]);
  }
  function assemble(handed: PluginPart, [authority, certificate, privateKey, bearer]: readonly (string | undefined)[]): Credential {
    if (handed === undefined) return compose([authority, certificate, privateKey], bearer);
    return compose([authority, handed.cert, handed.key], handed.token);
  }

  async function instead(refused: Credential): Promise<Credential | undefined> {
    const now = await current();
    if (now !== refused) return now;
    await Promise.all([plugin?.again(), cert?.again(), key?.again(), token?.again()]);
    const renewed = await current();
    return renewed === refused ? undefined : renewed;
  }

  return { current, instead };
}

function same(a: Credential, b: Credential): boolean {
  return a.authorization === b.authorization && a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}

type PluginPart = Awaited<ReturnType<typeof runPlugin>> | undefined;

function clusterInfo(access: Access, ca: string | undefined): PluginCluster {
  return {
    server: access.server,
    "tls-server-name": access.serverName,
    "insecure-skip-tls-verify": access.insecure || undefined,
    "certificate-authority-data": ca === undefined ? undefined : Buffer.from(ca).toString("base64"),
    "proxy-url": access.proxy,
    config: access.pluginConfig,
  };
}
