import type { Node } from "pintle/kinds/core/v1";
import type { CertificateKeyPair } from "pintle/tls";
import type { ApiRequest, ApiResponse, QueryParameters } from "../../api/index.ts";
import { internalError } from "../../status/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { forwardRequest, type ProxyOrigin } from "../proxy/forward-request.ts";
import { resolveProxyableHost } from "../proxy/proxyable-address.ts";

/** Kubelets of other processes, at the address in their node's status. */
export interface RemoteKubelets {
  /** Forwards a request, including upgrades, and returns the response. */
  forward(node: string, path: string, query: QueryParameters, request: ApiRequest): Promise<ApiResponse>;
  getOrigin(node: string): Promise<ProxyOrigin>;
}

/** The order of preference. Host names of nodes rarely resolve, so addresses come first. */
const ADDRESS_TYPES = ["InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS", "Hostname"];

export interface RemoteKubeletOptions {
  readonly store: ObjectStore;
  /** Returns the client certificate; called when it is first needed. */
  readonly clientKeys: () => CertificateKeyPair;
  /** "host:port" of kubelets that may have a loopback or link-local address. */
  readonly loopbackKubelets: readonly string[];
}

export function createRemoteKubelets({ store, clientKeys, loopbackKubelets }: RemoteKubeletOptions): RemoteKubelets {
  let keys: CertificateKeyPair | undefined;
  const getOrigin = async (name: string): Promise<ProxyOrigin> => {
    const node = (await store.get(`/registry/minions/${name}`))?.value as unknown as Node | undefined;
    const { addresses = [], daemonEndpoints } = node?.status ?? {};
    const address = ADDRESS_TYPES.flatMap((type) => addresses.filter((each) => each.type === type))[0];
    if (address === undefined) throw internalError("no preferred addresses found; known addresses: []");
    const port = daemonEndpoints?.kubeletEndpoint?.Port;
    if (!port) throw internalError(`node ${name} does not run in this process, and its status has no kubelet port`);
    // Any client with write access to nodes/status can set the address: it must not lead to this server or to other services of the machine.
    const isTrusted = loopbackKubelets.includes(`${address.address}:${port}`);
    const host = isTrusted ? address.address : await resolveProxyableHost(address.address);
    keys ??= clientKeys();
    return {
      scheme: "https",
      host,
      port,
      // The kubelet's certificate is not verified, as in kube-apiserver without --kubelet-certificate-authority.
      tls: { cert: keys.certificate, key: keys.key, rejectUnauthorized: false },
    };
  };
  return {
    getOrigin,
    async forward(node, path, query, request) {
      const text = new URLSearchParams([...query].flatMap(([name, values]) => values.map((value): [string, string] => [name, value])));
      return forwardRequest(await getOrigin(node), { ...request, path, search: text.size === 0 ? "" : `?${text}` });
    },
  };
}
