import { X509Certificate } from "node:crypto";
import { Secret } from "pintle/kinds/core/v1";
import { type CertificateKeyPair, createCertificateAuthority } from "pintle/tls";
import type { EtcdCluster } from "../etcd-cluster.ts";
import type { Credentials } from "../etcd-request.ts";
import { LABEL } from "../members.ts";

/** Common name of the members' peer certificates; etcd accepts no other on the peer port. */
export const PEER_NAME = "etcd-peer";
const YEAR = 365 * 24 * 3600 * 1000;

export function secretNames({ metadata: { name } }: EtcdCluster) {
  return { authority: `${name}-authority`, members: `${name}-members-tls`, client: `${name}-client-tls` };
}

/**
 * Returns the Secrets with the CA, the members' certificates and the client certificate. Existing certificates are kept until a third of
 * their lifetime is left.
 */
export function secretsFor(cluster: EtcdCluster, found: (name: string) => Secret | undefined, now: number) {
  if (!cluster.spec.tls) return [];
  const { name, namespace } = cluster.metadata;
  const names = secretNames(cluster);
  const text = (secret: string, key: string) => secretText(found(secret), key);
  const pair = (secret: string, prefix: string) => toKeyPair(text(secret, `${prefix}.crt`), text(secret, `${prefix}.key`));

  const signer = createCertificateAuthority(`${name}.${namespace}`, now, pair(names.authority, "ca"));
  const hosts = [`*.${name}-peers.${namespace}.svc`, `${name}.${namespace}.svc`, `${name}.${namespace}`, name, "localhost", "127.0.0.1"];
  const server =
    unlessExpiring(pair(names.members, "server"), now) ?? signer.issueServerCertificate({ commonName: PEER_NAME }, hosts, YEAR);
  const peer = pair(names.members, "peer") ?? signer.issueClientCertificate({ commonName: PEER_NAME });
  const client = pair(names.client, "tls") ?? signer.issueClientCertificate({ commonName: `${name}-client` });
  const secret = (as: string, data: Readonly<Record<string, string>>) =>
    Secret.desired({
      metadata: { name: as, labels: { [LABEL]: name } },
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
    });
  const ca = { "ca.crt": signer.certificate };
  return [
    secret(names.authority, { ...ca, "ca.key": signer.key }),
    secret(names.members, {
      ...ca,
      "server.crt": server.certificate,
      "server.key": server.key,
      "peer.crt": peer.certificate,
      "peer.key": peer.key,
    }),
    secret(names.client, { ...ca, "tls.crt": client.certificate, "tls.key": client.key }),
  ];
}

/** Returns the operator's client certificate; undefined without TLS or before it was issued. */
export function credentialsOf(secret: Secret | undefined): Credentials | undefined {
  const own = secretText(secret, "ca.crt");
  const pair = toKeyPair(secretText(secret, "tls.crt"), secretText(secret, "tls.key"));
  return own === undefined || pair === undefined ? undefined : { ca: own, ...pair };
}

function secretText(secret: Secret | undefined, key: string): string | undefined {
  const value = secret?.data?.[key];
  return value === undefined ? undefined : Buffer.from(value, "base64").toString();
}
function toKeyPair(certificate: string | undefined, key: string | undefined): CertificateKeyPair | undefined {
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}
function unlessExpiring(pair: CertificateKeyPair | undefined, now: number): CertificateKeyPair | undefined {
  return pair !== undefined && Date.parse(new X509Certificate(pair.certificate).validTo) - now > YEAR / 3 ? pair : undefined;
}
