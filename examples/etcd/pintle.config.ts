import type { Config } from "@pintle/cli";

/** Settings of the generated manifests that do not follow from the code. */
export default {
  domain: "pintle.dev",
  // The operator calls the members of its etcd clusters.
  networkPolicy: { egress: [{ ports: [{ port: 2379, protocol: "TCP" }] }] },
} satisfies Config;
