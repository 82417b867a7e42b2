import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { CertificateKeyPair } from "pintle/tls";

/** Where catalogs are served. */
export interface CatalogServer {
  readonly port: number;
  replaceCertificate(pair: CertificateKeyPair): void;
  close(): Promise<void>;
}

const toTlsOptions = ({ certificate, key }: CertificateKeyPair) => ({ cert: certificate, key, minVersion: "TLSv1.2" as const });

/** Serves catalogs over HTTPS, or over HTTP without a certificate. */
export async function serveCatalogs(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  { host, port }: { readonly host: string | undefined; readonly port: number },
  pair: CertificateKeyPair | undefined,
): Promise<CatalogServer> {
  const secure = pair === undefined ? undefined : createHttpsServer(toTlsOptions(pair), handler);
  const server = secure ?? createHttpServer(handler);
  await new Promise<void>((resolve, reject) => {
    // Stays: an error event without a listener, such as a connection that cannot be accepted, would end the process.
    server.on("error", reject);
    server.listen(port, host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    replaceCertificate: (next) => secure?.setSecureContext(toTlsOptions(next)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
