import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { writePrivateFile } from "pintle/internal/private-file";
import { splitPemBlocks } from "pintle/internal/text";
import { type CertificateKeyPair, createCertificateAuthority } from "pintle/tls";
import type { UserInfo } from "../../api/index.ts";
import { getFirstAddress } from "../../builtin/index.ts";
import type { ClusterOptions } from "../../cluster/index.ts";
import { DEFAULT_ADMISSION_PLUGINS } from "../generated/kube-apiserver-flags.ts";
import { denyPrivilegedPods } from "./deny-privileged.ts";
import { type ServerSettings, SettingsError } from "./server-settings.ts";

export const KUBERNETES_VERSION = "v1.36.3";

/** Builds the options of the cluster, and reads the files that the settings name. Throws SettingsError if one cannot be read. */
export function buildClusterOptions(settings: ServerSettings, now: number): ClusterOptions {
  const { host, port, accounts, serviceRange, etcd } = settings;
  const { enable, disable } = settings.plugins;
  const { gitVersion = KUBERNETES_VERSION, ...buildInfo } = settings.versionInfo;
  const tokens = settings.tokenFile === "" ? {} : wrapError(() => parseTokenFile(readText(settings.tokenFile), settings.tokenFile));
  const clientAuthority = settings.clientCaFile === "" ? null : readClientCa(settings.clientCaFile);
  const keys = loadServingCertificate(settings, now, getFirstAddress(serviceRange));
  if ((etcd.keyFile === "") !== (etcd.certFile === "")) {
    const both = `KeyFile and CertFile must both be present[key: ${etcd.keyFile}, cert: ${etcd.certFile}]`;
    throw new SettingsError([`error creating storage factory: ${both}`]);
  }
  const secret = (file: string) => (file === "" ? undefined : readText(file, "error creating storage factory: "));
  return {
    without: true,
    http: { host, port, keys, clientAuthority, anonymous: settings.anonymous, advertise: settings.advertise },
    tokens,
    authorizationMode: settings.authorization,
    accounts: {
      issuers: accounts.issuers,
      audiences: accounts.audiences,
      trustedKeys: accounts.keyFiles.flatMap((file) => splitPemBlocks(readText(file))).map(({ text }) => text),
      signingKey: readText(accounts.signingKeyFile, "failed to parse service-account-issuer-key-file: "),
      lookup: accounts.lookup,
      maxExpirationSeconds: accounts.longestSeconds,
    },
    services: { clusterIps: serviceRange, nodePorts: settings.nodePorts },
    admissionPlugins: {
      enable: [...DEFAULT_ADMISSION_PLUGINS, ...enable].filter((each) => !disable.includes(each)),
      disable,
    },
    featureGates: { ShardedListAndWatch: settings.shardedListAndWatch },
    kubernetesVersion: gitVersion,
    buildInfo,
    admission: settings.allowPrivileged ? [] : [denyPrivilegedPods],
    audit: settings.audit,
    store: {
      etcd: {
        endpoints: etcd.servers,
        prefix: etcd.prefix,
        ca: secret(etcd.caFile),
        cert: secret(etcd.certFile),
        key: secret(etcd.keyFile),
      },
    },
  };
}

function readText(file: string, prefix = ""): string {
  return wrapError(() => readFileSync(file, "utf8"), prefix);
}

function wrapError<T>(read: () => T, prefix = ""): T {
  try {
    return read();
  } catch (error) {
    throw new SettingsError([`${prefix}${formatFileError(error)}`]);
  }
}

function readClientCa(file: string): string {
  const text = readText(file);
  try {
    new X509Certificate(text);
    return text;
  } catch {
    const why = "data does not contain any valid RSA or ECDSA certificates";
    throw new SettingsError([`error loading CA bundle for ${JSON.stringify(`client-ca-bundle::${file}`)}: ${why}`]);
  }
}

/** Parses a token file: `token,user,uid,"group1,group2"` on each line. Throws with the messages of kube-apiserver. */
export function parseTokenFile(text: string, name: string): Readonly<Record<string, UserInfo>> {
  const users: Record<string, UserInfo> = {};
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [token = "", user = "", uid = "", groups = ""] = parseColumns(line);
    const count = parseColumns(line).length;
    if (count < 3) {
      throw new Error(`token file '${name}' must have at least 3 columns (token, user name, user uid), found ${count}`);
    }
    if (token === "") continue;
    users[token] = { name: user, uid, groups: groups === "" ? [] : groups.split(",") };
  }
  return users;
}

/** Splits a line at commas; quoted columns may contain commas. */
function parseColumns(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain?.trim() ?? "",
  );
}

/** Loads the certificate that the flags name; otherwise the one in --cert-dir, which is created if missing. */
function loadServingCertificate({ certFile, keyFile, certDir, host }: ServerSettings, now: number, first: string): CertificateKeyPair {
  if (certFile !== "" || keyFile !== "") {
    if (certFile === "" || keyFile === "") throw new SettingsError(["missing filename for serving cert"]);
    return readKeyPair(certFile, keyFile);
  }
  const files = [path.join(certDir, "apiserver.crt"), path.join(certDir, "apiserver.key")] as const;
  if (files.every((file) => existsSync(file))) return readKeyPair(...files);
  const names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost", hostname(), "127.0.0.1", first];
  const hosts = host === "0.0.0.0" || host === "::" ? [] : [host];
  const ca = createCertificateAuthority(`${hostname()}-ca`, now);
  const certificate = ca.issueServerCertificate({ commonName: hostname() }, [...new Set([...names, ...hosts])]);
  const chain = { certificate: `${certificate.certificate}${ca.certificate}`, key: certificate.key };
  try {
    mkdirSync(certDir, { recursive: true });
    writePrivateFile(files[1], chain.key);
    writePrivateFile(files[0], chain.certificate, { mode: 0o644 });
  } catch (error) {
    throw new SettingsError([`error creating self-signed certificates: ${formatFileError(error)}`]);
  }
  return chain;
}

function readKeyPair(certFile: string, keyFile: string): CertificateKeyPair {
  try {
    return { certificate: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  } catch (error) {
    throw new SettingsError([formatFileError(error)]);
  }
}

const GO_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
};

/** Formats a file error as Go does: "open /x: no such file or directory". */
function formatFileError(error: unknown): string {
  const { code = "", syscall, path, message } = error as NodeJS.ErrnoException;
  const goError = GO_ERRORS[code];
  if (goError === undefined || path === undefined) return error instanceof Error ? message : String(error);
  return `${code === "EISDIR" ? "read" : syscall} ${path}: ${goError}`;
}
