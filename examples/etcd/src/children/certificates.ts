import { X509Certificate } from "node:crypto";
import { Secret } from "pintle/kinds/core/v1";
import { authority, type KeyPair } from "pintle/tls";
import type { Credentials } from "../call.ts";
import type { EtcdCluster } from "../etcd-cluster.ts";
import { LABEL } from "../members.ts";

/** Who members are to each other, as servers and as clients: nobody else may speak at the peers' port. */
export const PEER_NAME = "etcd-peer";
const YEAR = 365 * 24 * 3600 * 1000;

export function secretNames({ metadata: { name } }: EtcdCluster) {
  return { authority: `${name}-authority`, members: `${name}-members-tls`, client: `${name}-client-tls` };
}

/** The authority, what members show, and what clients show. What there is stays, until a third of its time is left. */
export function secretsFor(cluster: EtcdCluster, found: (name: string) => Secret | undefined, now: number) {
  if (!cluster.spec.tls) return [];
  const { name, namespace } = cluster.metadata;
  const names = secretNames(cluster);
  const text = (secret: string, key: string) => textOf(found(secret), key);
  const pair = (secret: string, prefix: string) => pairOf(text(secret, `${prefix}.crt`), text(secret, `${prefix}.key`));

  const signer = authority(`${name}.${namespace}`, now, pair(names.authority, "ca"));
  const hosts = [`*.${name}-peers.${namespace}.svc`, `${name}.${namespace}.svc`, `${name}.${namespace}`, name, "localhost", "127.0.0.1"];
  const server = lasting(pair(names.members, "server"), now) ?? signer.server({ commonName: PEER_NAME }, hosts, YEAR);
  const peer = pair(names.members, "peer") ?? signer.client({ commonName: PEER_NAME });
  const client = pair(names.client, "tls") ?? signer.client({ commonName: `${name}-client` });
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

/** What the operator shows to members; undefined where they ask for nothing, or nothing has been made yet. */
export function credentialsOf(secret: Secret | undefined): Credentials | undefined {
  const own = textOf(secret, "ca.crt");
  const pair = pairOf(textOf(secret, "tls.crt"), textOf(secret, "tls.key"));
  return own === undefined || pair === undefined ? undefined : { authority: own, ...pair };
}

function textOf(secret: Secret | undefined, key: string): string | undefined {
  const value = secret?.data?.[key];
  return value === undefined ? undefined : Buffer.from(value, "base64").toString();
}
function pairOf(certificate: string | undefined, key: string | undefined): KeyPair | undefined {
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}
function lasting(pair: KeyPair | undefined, now: number): KeyPair | undefined {
  return pair !== undefined && Date.parse(new X509Certificate(pair.certificate).validTo) - now > YEAR / 3 ? pair : undefined;
}
