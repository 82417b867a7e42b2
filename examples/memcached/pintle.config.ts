import type { Config } from "@pintle/cli";

/** Settings of the generated manifests that do not follow from the code. */
export default {
  domain: "example.com",
  // The operator reads the statistics of its servers.
  networkPolicy: { egress: [{ ports: [{ port: 11211, protocol: "TCP" }] }] },
} satisfies Config;
