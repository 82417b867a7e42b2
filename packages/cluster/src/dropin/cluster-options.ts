import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { firstAddress } from "../builtin/index.ts";
import type { ClusterOptions } from "../cluster-options.ts";
import { errorText } from "./error-text.ts";
import { DEFAULT_ADMISSION_PLUGINS } from "./generated/kube-apiserver-flags.ts";
import { noPrivilege } from "./privileged.ts";
import { type ServerSettings, SettingsError } from "./server-settings.ts";
import { servingCertificate } from "./serving-certificate.ts";
import { tokenFile } from "./token-file.ts";

/** The cluster that settings ask for, with the files they name read. Throws SettingsError when one cannot be. */
export function clusterOptions(settings: ServerSettings, now: number): ClusterOptions {
  const { host, port, accounts, serviceRange, etcd } = settings;
  const { enable, disable } = settings.plugins;
  const tokens = settings.tokenFile === "" ? {} : parsed(() => tokenFile(content(settings.tokenFile), settings.tokenFile));
  const clientAuthority = settings.clientCaFile === "" ? null : clientCa(settings.clientCaFile);
  const keys = servingCertificate(settings, now, firstAddress(serviceRange));
  if ((etcd.keyFile === "") !== (etcd.certFile === "")) {
    const both = `KeyFile and CertFile must both be present[key: ${etcd.keyFile}, cert: ${etcd.certFile}]`;
    throw new SettingsError([`error creating storage factory: ${both}`]);
  }
  const secret = (file: string) => (file === "" ? undefined : content(file, "error creating storage factory: "));
  return {
    without: true,
    http: { host, port, keys, clientAuthority, anonymous: settings.anonymous, advertise: settings.advertise },
    tokens,
    authorizationMode: settings.authorization,
    accounts: {
      issuers: accounts.issuers,
      audiences: accounts.audiences,
      trustedKeys: accounts.keyFiles.map((file) => content(file)).flatMap(pemBlocks),
      signingKey: content(accounts.signingKeyFile, "failed to parse service-account-issuer-key-file: "),
      lookup: accounts.lookup,
      longestSeconds: accounts.longestSeconds,
    },
    services: { clusterIps: serviceRange, nodePorts: settings.nodePorts },
    admissionPlugins: { enable: [...DEFAULT_ADMISSION_PLUGINS, ...enable].filter((each) => !disable.includes(each)), disable },
    admission: settings.allowPrivileged ? [] : [noPrivilege],
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

function content(file: string, doing = ""): string {
  return parsed(() => readFileSync(file, "utf8"), doing);
}

function parsed<T>(read: () => T, doing = ""): T {
  try {
    return read();
  } catch (error) {
    throw new SettingsError([`${doing}${errorText(error)}`]);
  }
}

/** A file may hold several keys. */
function pemBlocks(text: string): readonly string[] {
  return text.match(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g) ?? [];
}

function clientCa(file: string): string {
  const text = content(file);
  try {
    new X509Certificate(text);
    return text;
  } catch {
    const why = "data does not contain any valid RSA or ECDSA certificates";
    throw new SettingsError([`error loading CA bundle for ${JSON.stringify(`client-ca-bundle::${file}`)}: ${why}`]);
  }
}
