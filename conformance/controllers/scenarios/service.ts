import { Endpoints, Pod, Service } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { listPods } from "./builders.ts";

const labels = { app: "web" };
const pod = ({ client, namespace }: ScenarioContext, name: string, more: object = {}, annotations: Readonly<Record<string, string>> = {}) =>
  client.create(Pod, {
    metadata: { name, namespace, labels, annotations },
    spec: { containers: [{ name: "main", image: "web:1", ports: [{ name: "http", containerPort: 8080 }] }], ...more },
  });
const service = ({ client, namespace }: ScenarioContext, name: string, spec: object) =>
  client.create(Service, {
    metadata: { name, namespace, labels: { tier: "front" } },
    spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: "http" }], ...spec },
  });
const areAllRunning = async (context: ScenarioContext) => (await listPods(context)).every(({ status }) => status.phase === "Running");
const slices = async ({ client, namespace }: ScenarioContext) => (await client.list(EndpointSlice, { namespace })).items;
const endpointsOf = async (context: ScenarioContext, name: string) =>
  (await slices(context))
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name)
    .flatMap(({ endpoints }) => endpoints ?? []);

export const services: Scenario = {
  name: "services",
  sample: true,
  // The real server repairs its IP allocations while it starts.
  raceDependentEvents: ["ClusterIPNotAllocated"],
  steps: [
    {
      name: "apply",
      async act(context) {
        await pod(context, "ready-one");
        await pod(context, "unready", {}, { "node.pintle.dev/behaviour": "never-ready" });
        await service(context, "named", {});
        await service(context, "numbered", { ports: [{ port: 80, targetPort: 9090 }] });
        await service(context, "two", {
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 81, protocol: "UDP", targetPort: 53 },
          ],
        });
        await service(context, "headless", { clusterIP: "None" });
        await service(context, "early", { publishNotReadyAddresses: true });
        await service(context, "node-port", { type: "NodePort" });
        await service(context, "unmatched", { selector: { app: "unmatched" } });
        await context.client.create(Service, {
          metadata: { name: "elsewhere", namespace: context.namespace },
          spec: { type: "ExternalName", externalName: "example.com" },
        });
        await context.client.create(Service, {
          metadata: { name: "by-hand", namespace: context.namespace },
          spec: { ports: [{ port: 80 }] },
        });
      },
      until: async (context) => (await areAllRunning(context)) && (await endpointsOf(context, "named")).length === 2,
    },
    {
      name: "one more pod, with a name of its own",
      act: (context) => pod(context, "ready-two", { hostname: "second", subdomain: "headless" }),
      until: async (context) => (await areAllRunning(context)) && (await endpointsOf(context, "named")).length === 3,
    },
    {
      name: "a pod goes slowly",
      async act(context) {
        await context.client.patch(
          Pod,
          { name: "ready-one", namespace: context.namespace },
          { merge: { metadata: { finalizers: ["example.com/hold"] } } },
        );
        await context.client.delete(Pod, { name: "ready-one", namespace: context.namespace });
      },
      until: async (context) => (await endpointsOf(context, "named")).length === 2,
    },
    {
      name: "endpoints by hand",
      act: ({ client, namespace }) =>
        client.create(Endpoints, {
          metadata: { name: "by-hand", namespace, labels: { mine: "yes" } },
          subsets: [
            {
              addresses: [{ ip: "198.51.100.7" }, { ip: "198.51.100.8", hostname: "eight" }],
              notReadyAddresses: [{ ip: "198.51.100.9" }],
              ports: [{ port: 80 }],
            },
          ],
        }),
      until: async (context) => (await endpointsOf(context, "by-hand")).length === 3,
    },
    {
      name: "another port",
      act: ({ client, namespace }) =>
        client.patch(Service, { name: "named", namespace }, { merge: { spec: { ports: [{ name: "http", port: 80, targetPort: 7000 }] } } }),
      until: async (context) => (await slices(context)).some(({ ports }) => ports?.some(({ port }) => port === 7000)),
    },
    {
      name: "delete",
      async act({ client, namespace }) {
        for (const name of ["named", "headless", "by-hand"]) await client.delete(Service, { name, namespace });
        await client.patch(Pod, { name: "ready-one", namespace }, { merge: { metadata: { finalizers: null } } });
      },
      until: async (context) => (await endpointsOf(context, "named")).length === 0 && (await listPods(context)).length === 2,
    },
  ],
};
