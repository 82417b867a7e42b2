import { createPrivateKey, X509Certificate } from "node:crypto";
import { connect, createServer, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { authority } from "./authority.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

test("an authority signs itself and its leaves", () => {
  const ca = authority("pintle-ca", now);
  const root = new X509Certificate(ca.certificate);
  expect(root.ca).toBe(true);
  expect(root.subject).toBe("CN=pintle-ca");
  expect(root.verify(root.publicKey)).toBe(true);

  const server = ca.server({ commonName: "kube-apiserver" }, ["localhost", "127.0.0.1", "::1"]);
  const leaf = new X509Certificate(server.certificate);
  expect(leaf.checkIssued(root) && leaf.verify(root.publicKey)).toBe(true);
  expect(leaf.checkPrivateKey(createPrivateKey(server.key))).toBe(true);
  expect(leaf.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  expect(leaf.validFrom).toBe("Feb 28 12:00:00 2026 GMT");
  expect(leaf.ca).toBe(false);
});

test("client certificates say who and which groups", () => {
  const { certificate } = authority("pintle-ca", now).client({ commonName: "ana", organizations: ["system:masters", "dev"] });
  expect(new X509Certificate(certificate).subject).toBe("O=system:masters\nO=dev\nCN=ana");
});

test("validity beyond 2049 is written in the longer form", () => {
  const { certificate } = authority("late", Date.parse("2049-12-31T00:00:00Z"));
  expect(new X509Certificate(certificate).validTo).toContain("2059");
});

test("TLS on both sides is satisfied with them", async () => {
  const ca = authority("pintle-ca", Date.now());
  const { certificate: cert, key } = ca.server({ commonName: "kube-apiserver" }, ["localhost"]);
  const client = ca.client({ commonName: "ana" });
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
