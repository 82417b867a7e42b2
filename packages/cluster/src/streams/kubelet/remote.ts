import type { Node } from "pintle/kinds/core/v1";
import type { ApiAnswer, ApiRequest, Query } from "../../api/index.ts";
import { internalError } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import type { KeyPair } from "../../tls/index.ts";
import { type Origin, passed } from "../proxy/pass.ts";

/** Kubelets of other processes, at the address that their node's status tells. */
export interface RemoteKubelets {
  /** Passes a request on, upgrade and all, and its answer back. */
  answer(node: string, path: string, query: Query, request: ApiRequest): Promise<ApiAnswer>;
  originOf(node: string): Promise<Origin>;
}

/** The names of nodes seldom resolve where nobody sees to it: addresses come first. */
const ADDRESSES = ["InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS", "Hostname"];

export function remoteKubelets(store: Store, client: () => KeyPair): RemoteKubelets {
  let keys: KeyPair | undefined;
  const originOf = async (name: string): Promise<Origin> => {
    const node = (await store.get(`/registry/minions/${name}`))?.value as unknown as Node | undefined;
    const { addresses = [], daemonEndpoints } = node?.status ?? {};
    const address = ADDRESSES.flatMap((type) => addresses.filter((each) => each.type === type))[0];
    if (address === undefined) throw internalError("no preferred addresses found; known addresses: []");
    const port = daemonEndpoints?.kubeletEndpoint?.Port;
    if (!port) throw internalError(`node ${name} is none of this process, and its status names no port of a kubelet to ask`);
    keys ??= client();
    return {
      scheme: "https",
      host: address.address,
      port,
      // Who a kubelet is is not checked: a stock server does not either, unless it is given an authority.
      tls: { cert: keys.certificate, key: keys.key, rejectUnauthorized: false },
    };
  };
  return {
    originOf,
    async answer(node, path, query, request) {
      const text = new URLSearchParams([...query].flatMap(([name, values]) => values.map((value): [string, string] => [name, value])));
      return passed(await originOf(node), { ...request, path, search: text.size === 0 ? "" : `?${text}` });
    },
  };
}
