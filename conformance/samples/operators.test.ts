/**
 * The tests of the five operators that show what a controller can declare, unchanged, on a real kube-apiserver with kube-controller-manager, kube-scheduler
 * and a simulated node, with their webhooks and conversions. Only their `@pintle/cluster/vitest` is mocked. All operators with `--full`, else two of them.
 */
import { afterAll, vi } from "vitest";
import { CronJob } from "../../examples/cronjob/src/cronjob.ts";
import { Database, User } from "../../examples/postgres/src/resources.ts";
import { Plan } from "../../examples/tenant/src/plan.ts";
import { Tenant } from "../../examples/tenant/src/tenant.ts";
import { Website } from "../../examples/website/src/website.ts";
import { full, seed } from "../sampling.ts";
import { declareKinds, stopCluster } from "./real-cluster.ts";

vi.mock("@pintle/cluster/vitest", () => import("./real-operator.ts"));

const EXAMPLES = [
  () => import("../../examples/cronjob/test/webhook.test.ts"),
  () => import("../../examples/pod-policy/test/pod-webhook.test.ts"),
  () => import("../../examples/postgres/test/real-server.test.ts"),
  () => import("../../examples/tenant/test/tenant.test.ts"),
  () => import("../../examples/website/test/website.test.ts"),
];

declareKinds([CronJob, Database, Plan, Tenant, User, Website]);
afterAll(stopCluster);
const from = seed % EXAMPLES.length;
for (const tests of full ? EXAMPLES : [...EXAMPLES, ...EXAMPLES].slice(from, from + 2)) await tests();
