import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { authority, type KeyPair } from "../tls/index.ts";
import { errorText } from "./error-text.ts";
import { type ServerSettings, SettingsError } from "./server-settings.ts";

/** The certificate that flags name; else the one in --cert-dir, which is made where there is none. */
export function servingCertificate({ certFile, keyFile, certDir, host }: ServerSettings, now: number, first: string): KeyPair {
  if (certFile !== "" || keyFile !== "") {
    if (certFile === "" || keyFile === "") throw new SettingsError(["missing filename for serving cert"]);
    return pair(certFile, keyFile);
  }
  const files = [path.join(certDir, "apiserver.crt"), path.join(certDir, "apiserver.key")] as const;
  if (files.every((file) => existsSync(file))) return pair(...files);
  const names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost", hostname(), "127.0.0.1", first];
  const own = host === "0.0.0.0" || host === "::" ? [] : [host];
  const ca = authority(`${hostname()}-ca`, now);
  const made = ca.server({ commonName: hostname() }, [...new Set([...names, ...own])]);
  const chain = { certificate: `${made.certificate}${ca.certificate}`, key: made.key };
  try {
    mkdirSync(certDir, { recursive: true });
    writeFileSync(files[0], chain.certificate);
    writeFileSync(files[1], chain.key, { mode: 0o600 });
  } catch (error) {
    throw new SettingsError([`error creating self-signed certificates: ${errorText(error)}`]);
  }
  return chain;
}

function pair(certFile: string, keyFile: string): KeyPair {
  try {
    return { certificate: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  } catch (error) {
    throw new SettingsError([errorText(error)]);
  }
}
