import type { WallClock } from "../../clock/index.ts";
import type { ClusterAccess, PemSource } from "./cluster-access.ts";
import { type PluginCluster, type PluginCredential, type PluginEnvironment, runExecPlugin } from "./run-exec-plugin.ts";
import { createFileText, createFixedText, type TextSource } from "./text-source.ts";

/** The credentials to use now. The same object as long as nothing changes. */
export interface Credential {
  readonly authorization: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Current credentials, read and renewed on demand. */
export interface CredentialSource {
  /** A promise only while a file is read or a plugin runs. */
  current(): Credential | Promise<Credential>;
  /** Called when the server does not accept `rejected`. Resolves to other credentials, or undefined if there are none. */
  refresh(rejected: Credential): Promise<Credential | undefined>;
}

/** How long the text of a token file is used before it is read again. */
const TOKEN_MAX_AGE_MS = 10_000;
/** How long the text of a certificate file is used before it is read again. */
const CERTIFICATE_MAX_AGE_MS = 60_000;

/** Returns the credentials of a `ClusterAccess`. Files are read again as they age; an exec plugin is used only without static credentials. */
export function createCredentialSource(access: ClusterAccess, clock: WallClock, environment: PluginEnvironment): CredentialSource {
  const user = access.user ?? {};
  const openPem = (source: PemSource | undefined, description: string): TextSource | undefined => {
    if (source === undefined) return undefined;
    return source.file === undefined
      ? createFixedText(source.data)
      : createFileText(source.file, description, CERTIFICATE_MAX_AGE_MS, clock);
  };
  const ca = openPem(access.ca, "certificate authority");
  const cert = openPem(user.clientCertificate, "client certificate");
  const key = openPem(user.clientKey, "client key");
  const token =
    user.tokenFile !== undefined
      ? createFileText(user.tokenFile, "token file", TOKEN_MAX_AGE_MS, clock)
      : user.token === undefined
        ? undefined
        : createFixedText(user.token);
  const basic = user.basicAuth && `Basic ${Buffer.from(`${user.basicAuth.username}:${user.basicAuth.password}`).toString("base64")}`;
  // As in client-go, static credentials take precedence over an exec plugin.
  const hasStaticCredential = token !== undefined || basic !== undefined || cert !== undefined;
  const plugin =
    user.exec === undefined || hasStaticCredential
      ? undefined
      : cachePluginCredential(async () => runExecPlugin(user.exec!, describeCluster(access, await ca?.current()), environment), clock);

  let last: Credential | undefined;
  function compose(parts: readonly (string | undefined)[], bearer: string | undefined): Credential {
    const [authority, certificate, privateKey] = parts;
    const authorization = bearer === undefined ? basic : `Bearer ${bearer.trim()}`;
    const now = { authorization, ca: authority, cert: certificate, key: privateKey };
    if (last === undefined || !isSameCredential(last, now)) last = now;
    return last;
  }

  function current(): Credential | Promise<Credential> {
    const pluginCredential = plugin?.current();
    const parts = [ca?.current(), cert?.current(), key?.current(), token?.current()];
    if (pluginCredential instanceof Promise || parts.some((part) => part instanceof Promise)) return resolveParts(pluginCredential, parts);
    return assembleCredentials(pluginCredential, parts as readonly (string | undefined)[]);
  }
  async function resolveParts(
    pluginCredential: PluginPart | Promise<PluginPart>,
    parts: readonly (string | undefined | Promise<string>)[],
  ): Promise<Credential> {
    const [one, ...rest] = await Promise.all([pluginCredential, ...parts]);
    return assembleCredentials(one as PluginPart, rest as readonly (string | undefined)[]);
  }
  function assembleCredentials(
    pluginCredential: PluginPart,
    [authority, certificate, privateKey, bearer]: readonly (string | undefined)[],
  ): Credential {
    if (pluginCredential === undefined) return compose([authority, certificate, privateKey], bearer);
    return compose([authority, pluginCredential.cert, pluginCredential.key], pluginCredential.token);
  }

  async function refresh(rejected: Credential): Promise<Credential | undefined> {
    const now = await current();
    if (now !== rejected) return now;
    await Promise.all([plugin?.rerun(), cert?.reread(), key?.reread(), token?.reread()]);
    const renewed = await current();
    return renewed === rejected ? undefined : renewed;
  }

  return { current, refresh };
}

function isSameCredential(a: Credential, b: Credential): boolean {
  return a.authorization === b.authorization && a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}

type PluginPart = Awaited<ReturnType<typeof runExecPlugin>> | undefined;

function describeCluster(access: ClusterAccess, ca: string | undefined): PluginCluster {
  return {
    server: access.server,
    "tls-server-name": access.tlsServerName,
    "insecure-skip-tls-verify": access.insecureSkipTlsVerify || undefined,
    "certificate-authority-data": ca === undefined ? undefined : Buffer.from(ca).toString("base64"),
    "proxy-url": access.proxyUrl,
    config: access.execPluginConfig,
  };
}

/** A credential is renewed at most this long before it expires, so that it does not expire while a request is in flight. */
const MAX_RENEW_AHEAD_MS = 30_000;

/** Caches the credential of a plugin. The plugin runs on first use, before expiry, and when `rerun` is called; concurrent callers share one run. */
export function cachePluginCredential(run: () => Promise<PluginCredential>, clock: WallClock) {
  let cached: PluginCredential | undefined;
  let renewAt = Number.POSITIVE_INFINITY;
  let running: Promise<PluginCredential> | undefined;

  async function renew(): Promise<PluginCredential> {
    try {
      const started = clock.now();
      cached = await run();
      renewAt =
        cached.expires === undefined
          ? Number.POSITIVE_INFINITY
          : cached.expires - Math.min(MAX_RENEW_AHEAD_MS, Math.max(0, cached.expires - started) / 10);
      return cached;
    } finally {
      running = undefined;
    }
  }
  const rerun = () => {
    running ??= renew();
    return running;
  };
  return { current: () => (cached !== undefined && clock.now() < renewAt ? cached : rerun()), rerun };
}
