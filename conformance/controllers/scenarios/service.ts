import { Endpoints, Pod, Service } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import type { Scenario, World } from "../scenario.ts";
import { podsOf } from "./make.ts";

const labels = { app: "web" };
const pod = ({ client, namespace }: World, name: string, more: object = {}, annotations: Readonly<Record<string, string>> = {}) =>
  client.create(Pod, {
    metadata: { name, namespace, labels, annotations },
    spec: { containers: [{ name: "main", image: "web:1", ports: [{ name: "http", containerPort: 8080 }] }], ...more },
  });
const service = ({ client, namespace }: World, name: string, spec: object) =>
  client.create(Service, {
    metadata: { name, namespace, labels: { tier: "front" } },
    spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: "http" }], ...spec },
  });
const running = async (world: World) => (await podsOf(world)).every(({ status }) => status.phase === "Running");
const slices = async ({ client, namespace }: World) => (await client.list(EndpointSlice, { namespace })).items;
const endpointsOf = async (world: World, name: string) =>
  (await slices(world))
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name)
    .flatMap(({ endpoints }) => endpoints ?? []);

export const services: Scenario = {
  name: "services",
  sample: true,
  // The real server mends its own records of addresses while it starts.
  racyEvents: ["ClusterIPNotAllocated"],
  steps: [
    {
      name: "apply",
      async act(world) {
        await pod(world, "ready-one");
        await pod(world, "unready", {}, { "node.pintle.dev/behaviour": "never-ready" });
        await service(world, "named", {});
        await service(world, "numbered", { ports: [{ port: 80, targetPort: 9090 }] });
        await service(world, "two", {
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 81, protocol: "UDP", targetPort: 53 },
          ],
        });
        await service(world, "headless", { clusterIP: "None" });
        await service(world, "early", { publishNotReadyAddresses: true });
        await service(world, "node-port", { type: "NodePort" });
        await service(world, "nobody", { selector: { app: "nobody" } });
        await world.client.create(Service, {
          metadata: { name: "elsewhere", namespace: world.namespace },
          spec: { type: "ExternalName", externalName: "example.com" },
        });
        await world.client.create(Service, { metadata: { name: "by-hand", namespace: world.namespace }, spec: { ports: [{ port: 80 }] } });
      },
      until: async (world) => (await running(world)) && (await endpointsOf(world, "named")).length === 2,
    },
    {
      name: "one more pod, with a name of its own",
      act: (world) => pod(world, "ready-two", { hostname: "second", subdomain: "headless" }),
      until: async (world) => (await running(world)) && (await endpointsOf(world, "named")).length === 3,
    },
    {
      name: "a pod goes slowly",
      async act(world) {
        await world.client.patch(
          Pod,
          { name: "ready-one", namespace: world.namespace },
          { merge: { metadata: { finalizers: ["example.com/hold"] } } },
        );
        await world.client.delete(Pod, { name: "ready-one", namespace: world.namespace });
      },
      until: async (world) => (await endpointsOf(world, "named")).length === 2,
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
      until: async (world) => (await endpointsOf(world, "by-hand")).length === 3,
    },
    {
      name: "another port",
      act: ({ client, namespace }) =>
        client.patch(Service, { name: "named", namespace }, { merge: { spec: { ports: [{ name: "http", port: 80, targetPort: 7000 }] } } }),
      until: async (world) => (await slices(world)).some(({ ports }) => ports?.some(({ port }) => port === 7000)),
    },
    {
      name: "delete",
      async act({ client, namespace }) {
        for (const name of ["named", "headless", "by-hand"]) await client.delete(Service, { name, namespace });
        await client.patch(Pod, { name: "ready-one", namespace }, { merge: { metadata: { finalizers: null } } });
      },
      until: async (world) => (await endpointsOf(world, "named")).length === 0 && (await podsOf(world)).length === 2,
    },
  ],
};
