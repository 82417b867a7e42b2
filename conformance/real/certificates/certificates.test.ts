import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { certificateAuthority } from "./certificates.ts";

describe("certificateAuthority", () => {
  const authority = certificateAuthority("test authority");
  const ca = new X509Certificate(authority.certificate);

  it("issues a self-signed CA certificate", () => {
    expect(ca.ca).toBe(true);
    expect(ca.subject).toBe("CN=test authority");
    expect(ca.verify(ca.publicKey)).toBe(true);
  });

  it("writes user and group into the subject fields that Kubernetes reads", () => {
    const { certificate } = authority.client({ commonName: "jane", organization: "system:masters" });
    const leaf = new X509Certificate(certificate);
    expect(leaf.subject).toBe("O=system:masters\nCN=jane");
    expect(leaf.ca).toBe(false);
    expect(leaf.checkIssued(ca)).toBe(true);
    expect(leaf.verify(ca.publicKey)).toBe(true);
  });

  it("gives every certificate a unique serial number", () => {
    const serials = [1, 2, 3].map(() => new X509Certificate(authority.client({ commonName: "x" }).certificate).serialNumber);
    expect(new Set(serials).size).toBe(3);
  });

  it("issues certificates for server and client of a TLS connection", async () => {
    const serving = authority.server({ commonName: "server" }, ["localhost", "127.0.0.1"]);
    const own = authority.client({ commonName: "jane" });
    const server = createServer({ cert: serving.certificate, key: serving.key, ca: authority.certificate, requestCert: true }).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const accepted = once(server, "secureConnection");
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: "127.0.0.1", ca: authority.certificate, cert: own.certificate, key: own.key });
    const [socket] = (await accepted) as [TLSSocket];
    expect(socket.authorized).toBe(true);
    expect(socket.getPeerCertificate().subject.CN).toBe("jane");
    client.destroy();
    server.close();
  });
});
