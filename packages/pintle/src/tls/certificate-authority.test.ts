import { createPrivateKey, X509Certificate } from "node:crypto";
import { connect, createServer, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { createCertificateAuthority } from "./certificate-authority.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

test("a certificate authority signs itself and leaf certificates", () => {
  const ca = createCertificateAuthority("pintle-ca", now);
  const root = new X509Certificate(ca.certificate);
  expect(root.ca).toBe(true);
  expect(root.subject).toBe("CN=pintle-ca");
  expect(root.verify(root.publicKey)).toBe(true);

  const server = ca.issueServerCertificate({ commonName: "kube-apiserver" }, ["localhost", "127.0.0.1", "::1"]);
  const leaf = new X509Certificate(server.certificate);
  expect(leaf.checkIssued(root) && leaf.verify(root.publicKey)).toBe(true);
  expect(leaf.checkPrivateKey(createPrivateKey(server.key))).toBe(true);
  expect(leaf.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  expect(leaf.validFrom).toBe("Feb 28 12:00:00 2026 GMT");
  expect(leaf.ca).toBe(false);
});

test("keys are encoded as SEC1, which clients in Java can read", () => {
  const ca = createCertificateAuthority("pintle-ca", now);
  for (const { key } of [ca, ca.issueServerCertificate({ commonName: "a" }, ["a"]), ca.issueClientCertificate({ commonName: "a" })]) {
    expect(key).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
    expect(createPrivateKey(key).asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  }
});

test("client certificates contain user and groups", () => {
  const { certificate } = createCertificateAuthority("pintle-ca", now).issueClientCertificate({
    commonName: "ana",
    organizations: ["system:masters", "dev"],
  });
  expect(new X509Certificate(certificate).subject).toBe("O=system:masters\nO=dev\nCN=ana");
});

test("a validity beyond 2049 is encoded as GeneralizedTime", () => {
  const { certificate } = createCertificateAuthority("late", Date.parse("2049-12-31T00:00:00Z"));
  expect(new X509Certificate(certificate).validTo).toContain("2059");
});

test("mutual TLS accepts the issued certificates", async () => {
  const ca = createCertificateAuthority("pintle-ca", Date.now());
  const { certificate: cert, key } = ca.issueServerCertificate({ commonName: "kube-apiserver" }, ["localhost"]);
  const client = ca.issueClientCertificate({ commonName: "ana" });
  const server = createServer({ cert, key, ca: ca.certificate, requestCert: true, rejectUnauthorized: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const accepted = new Promise<TLSSocket>((resolve) => server.once("secureConnection", resolve));
  const { port } = server.address() as { port: number };
  const socket = connect({
    port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: ca.certificate,
    cert: client.certificate,
    key: client.key,
  });
  await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  expect((await accepted).getPeerCertificate().subject).toEqual({ CN: "ana" });
  socket.destroy();
  server.close();
});
