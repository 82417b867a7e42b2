import type { Config } from "@pintle/cli";

/** Settings of the generated manifests that do not follow from the code. */
export default {
  domain: "postgres.example.com",
  env: { DATABASE_URL: { secret: "postgres-admin", key: "url" } },
  networkPolicy: { egress: [{ ports: [{ protocol: "TCP", port: 5432 }] }] },
} satisfies Config;
